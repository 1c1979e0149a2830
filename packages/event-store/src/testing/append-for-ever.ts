import { randomUUID } from 'node:crypto'
import type { StreamName } from '@medialog/kernel'
import { newEvents } from './events.ts'
import { openSqliteEventStore } from '../sqlite/store.ts'

/** Appends from several writers until it is killed; prints `<stream> <revision>` once an append was acknowledged. */
const store = await openSqliteEventStore({ path: process.argv[2]! })
await Promise.all(
  Array.from({ length: 4 }, async () => {
    const stream: StreamName = `media-${randomUUID()}`
    let revision: number | 'no-stream' = 'no-stream'
    for (;;) {
      ;({ revision } = await store.append(stream, revision, newEvents(3)))
      console.log(`${stream} ${revision}`)
    }
  }),
)
