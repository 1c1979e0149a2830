import { hash } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { openSqliteEventStore } from '@medialog/event-store'
import { foldersIn } from '@medialog/server/embedded/folders'
import { auditLog } from '../src/audit/audited-log.ts'
import { fillLog } from './fill-log.ts'
import { row, type BenchRows } from './row.ts'
import { sized } from './scale.ts'

const EVENTS = sized(200_000, 2_000)
const ROUNDS = sized(5)

/**
 * Events a second that `audit verify` proves (chain, tree, checkpoint), against a bare loop in this thread that reads the
 * same rows and makes SHA-256 of each text: what no proof can do without. They take turns.
 */
export async function* benchAuditVerify(): BenchRows {
  const folder = mkdtempSync(join(tmpdir(), 'medialog-bench-'))
  const { log: path, leaves } = foldersIn(folder)
  try {
    await (await openSqliteEventStore({ path })).close()
    await fillLog(folder, EVENTS)
    const store = await openSqliteEventStore({ path })
    const log = auditLog(store, leaves)
    const note = await log.checkpoint()
    const spent = { bare: 0, verify: 0 }
    let events = 0
    for (let round = -1; round < ROUNDS; round++) {
      const bare = readAndHash(path)
      const started = performance.now()
      const report = await log.verify(note)
      const milliseconds = performance.now() - started
      if (report.found > 0) throw new Error(`${report.found} findings in a good log`)
      // The first round warms up.
      if (round < 0) continue
      spent.bare += bare
      spent.verify += milliseconds
      events += report.events
    }
    await log.close()
    await store.close()
    const rate = (milliseconds: number) => Math.round((1_000 * events) / milliseconds)
    yield row(`audit verify, ${EVENTS} events`, rate(spent.bare), rate(spent.verify), 'events/s')
  } finally {
    rmSync(folder, { recursive: true })
  }
}

function readAndHash(path: string): number {
  const database = new DatabaseSync(path, { readOnly: true })
  const started = performance.now()
  for (const { event } of database.prepare('SELECT event FROM events ORDER BY position').iterate())
    hash('sha256', event as string, 'hex')
  database.close()
  return performance.now() - started
}
