import { randomUUID } from 'node:crypto'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { openSqliteEventStore, type ChainedEventStore } from '@medialog/event-store'
import { prepareLog } from '@medialog/event-store/sqlite/schema'
import { GROUP_COMMITTED } from '@medialog/event-store/sqlite/writer-thread'
import type { StreamName } from '@medialog/kernel'
import { charge } from './charges.ts'
import { row, type BenchRow, type BenchRows } from './row.ts'
import { sized } from './scale.ts'

const ROUNDS = sized(40)
const APPENDS_A_ROUND = { 1: 100, 64: 3_200 }

/**
 * Appends a second through the store, by writers who each wait for their append before the next, against a bare SQLite
 * loop in this thread that commits the same groups: as many rows to a transaction and its fsync as the store had just
 * committed together. The same pragmas and tables, rows of one text made beforehand, prepared statements; the store's
 * events are the writer's own over and over with a new id each. The two take turns of a few milliseconds in one run, on
 * the same disk.
 */
export async function* benchAppend(): BenchRows {
  const folder = mkdtempSync(join(tmpdir(), 'medialog-bench-'))
  try {
    const store = await openSqliteEventStore({ path: join(folder, 'log.db') })
    const bare = openBareLoop(join(folder, 'bare.db'))
    yield await compare(store, bare, 1)
    yield await compare(store, bare, 64)
    bare.close()
    await store.close()
  } finally {
    rmSync(folder, { recursive: true })
  }
}

async function compare(store: ChainedEventStore, bare: BareLoop, writers: 1 | 64): Promise<BenchRow> {
  const appends = APPENDS_A_ROUND[writers]
  const spent = { store: 0, bare: 0 }
  const text = await recordedText(store)
  let [groups, rows] = [0, 0]
  for (let round = -4; round < ROUNDS; round++) {
    const measured = await appendAll(store, writers, appends)
    const baseline = bare.insertAll(text, writers, measured.groups)
    // The first rounds warm up.
    if (round < 0) continue
    spent.store += measured.milliseconds
    spent.bare += baseline
    groups += measured.groups.length
    rows += appends
  }
  const rate = (milliseconds: number) => Math.round((1_000 * rows) / milliseconds)
  const name = `append, ${writers} writer${writers > 1 ? 's' : ''}, ${(rows / groups).toFixed(1)} to an fsync`
  return row(name, rate(spent.bare), rate(spent.store), 'events/s')
}

/** How long it took, and how many appends each of the store's transactions held. */
async function appendAll(store: ChainedEventStore, writers: number, appends: number) {
  const facts = Array.from({ length: writers }, charge)
  const groups: number[] = []
  const listen = (message: unknown) => groups.push((message as { appends: number }).appends)
  subscribe(GROUP_COMMITTED, listen)
  const begun = performance.now()
  await Promise.all(
    facts.map(async (fact) => {
      const stream: StreamName = `ledger-${randomUUID()}`
      let revision: number | 'no-stream' = 'no-stream'
      for (let left = appends / writers; left > 0; left--)
        ({ revision } = await store.append(stream, revision, [{ ...fact, id: randomUUID() }]))
    }),
  )
  const milliseconds = performance.now() - begun
  unsubscribe(GROUP_COMMITTED, listen)
  return { milliseconds, groups }
}

interface BareLoop {
  /** Milliseconds. */
  insertAll(text: string, writers: number, groups: readonly number[]): number
  close(): void
}

function openBareLoop(path: string): BareLoop {
  const database = new DatabaseSync(path)
  prepareLog(database)
  const insertStream = database.prepare('INSERT INTO streams (name) VALUES (?)')
  const insert = database.prepare('INSERT INTO events VALUES (?, ?, ?, ?)')
  let position = 0
  function insertAll(text: string, writers: number, groups: readonly number[]): number {
    const names = Array.from({ length: writers }, () => `ledger-${randomUUID()}`)
    const begun = performance.now()
    let row = 0
    let first = 0
    for (const rows of groups) {
      database.exec('BEGIN IMMEDIATE')
      for (const end = row + rows; row < end; row++) {
        if (row < writers) {
          const { lastInsertRowid } = insertStream.run(names[row]!)
          first ||= Number(lastInsertRowid)
        }
        insert.run(++position, first + (row % writers), Math.floor(row / writers), text)
      }
      database.exec('COMMIT')
    }
    return performance.now() - begun
  }
  return { insertAll, close: () => database.close() }
}

async function recordedText(store: ChainedEventStore): Promise<string> {
  const { events } = await store.append(`ledger-${randomUUID()}`, 'no-stream', [charge()])
  return JSON.stringify(events[0])
}
