import { openEventStoreDb } from '../../eventstoredb/store.ts'
import { newEvents } from '../events.ts'

/** Uses a log on the server given, closes it, prints that, and must then exit. */
const store = await openEventStoreDb({ url: process.argv[2]! })
await store.append('media-a', 'no-stream', newEvents(3))
for await (const _ of store.readAll(0)) break
for await (const { live } of store.subscribe(0, { signal: new AbortController().signal })) if (live) break
const waiting = store.subscribe(0, { signal: new AbortController().signal })[Symbol.asyncIterator]()
await waiting.next()
const rest = waiting.next()
await store.close()
console.log((await rest).done ? 'closed' : 'still going')
