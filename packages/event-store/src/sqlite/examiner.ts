/* oxlint-disable unicorn/require-post-message-target-origin -- between threads, not windows */
import { once } from 'node:events'
import { parentPort, workerData } from 'node:worker_threads'
import { DatabaseSync } from 'node:sqlite'
import type { ExaminedEvent } from '@medialog/application/ports'
import { Prover } from './prover.ts'
import { PAGES_AHEAD, type FromExaminer } from './examiner-thread.ts'

/** The thread that examines the whole log, some pages ahead of the reader. */
const { path } = workerData as { path: string }
const port = parentPort!
const say = (message: FromExaminer) => port.postMessage(message)

const database = new DatabaseSync(path, { readOnly: true, timeout: 5_000 })
const prover = new Prover(database)
const head = prover.head()
let ahead = 0
port.on('message', () => ahead--)
for (let position = 0; position < head;) {
  const page: ExaminedEvent[] = prover.examine(position, head)
  if (page.length === 0) break
  position = page.at(-1)!.position
  say({ page, end: false })
  if (++ahead >= PAGES_AHEAD) await once(port, 'message')
}
database.close()
say({ page: [], end: true })
port.close()
