import { parentPort, workerData } from 'node:worker_threads'
import { openSqliteLogReader } from '../sqlite/reader.ts'

/** A thread with a reader of its own: posts the ids it sees, in order, batch by batch, until told to stop. */
const { path } = workerData as { path: string }
const reader = openSqliteLogReader({ path })
const stop = new AbortController()
parentPort!.once('message', () => stop.abort())
for await (const { events, live } of reader.subscribe(0, { signal: stop.signal })) {
  const ids = events.map(({ id }) => id)
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- between threads, not windows
  parentPort!.postMessage({ ids, live })
}
await reader.close()
