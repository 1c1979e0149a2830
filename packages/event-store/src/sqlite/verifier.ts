/* oxlint-disable unicorn/require-post-message-target-origin -- between threads, not windows */
import { parentPort, workerData } from 'node:worker_threads'
import { DatabaseSync } from 'node:sqlite'
import type { LogReport } from '@medialog/application/ports'
import { Prover } from './prover.ts'
import type { FromVerifier } from './verifier-thread.ts'

/** The thread that proves the whole log, page by page; readers and writer go on meanwhile. */
const { path } = workerData as { path: string }
const say = (message: FromVerifier) => parentPort!.postMessage(message)
const PROGRESS_EVERY_MS = 100

const database = new DatabaseSync(path, { readOnly: true, timeout: 5_000 })
const prover = new Prover(database)
const started = performance.now()
const head = prover.head()
const report: LogReport = { events: 0, erased: 0, position: 0, found: 0, findings: [], seconds: 0 }
for (let said = 0; report.position < head && report.found === 0;) {
  const { texts, erased, last, broken } = prover.page(report.position, head)
  report.events += texts.length
  report.erased += erased
  report.position = last
  if (broken) report.found = report.findings.push(broken)
  if (performance.now() - said < PROGRESS_EVERY_MS) continue
  said = performance.now()
  say({ kind: 'progress', position: last, head })
}
database.close()
say({ kind: 'report', report: { ...report, seconds: (performance.now() - started) / 1_000 } })
