import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync, type SQLInputValue } from 'node:sqlite'
import { openFsArtifactStore } from '@medialog/artifacts'
import { openSqliteEventStore, type ChainedEventStore } from '@medialog/event-store'
import { usd, type StreamName } from '@medialog/kernel'
import { catalogProjection, recordsProjection, type Projection } from '@medialog/projections'
import { replay } from '@medialog/projections/apply'
import { catalogDefinition, documentsDefinition, openDatabaseStore, recordsStore } from '@medialog/read-model'
import type { ReadModelDefinition } from '@medialog/read-model'
import { row, type BenchRow, type BenchRows } from './row.ts'
import { sized } from './scale.ts'
import { newEvent, writeItem, type Past } from './small-items.ts'

const LEDGER_EVENTS = sized(100_000)
const LEDGERS = 20
const ITEMS = sized(2_000)
const ROUNDS = sized(3)
const PAGE = 2_000

/**
 * Events a second when a read model is made anew, against the bare loop that only reads the same log and inserts the
 * same finished rows into the same tables and indexes, a page of the log to a transaction: no payload is checked, no
 * artifact read, no term analysed, no counter kept. The two take turns in one run; the best round of each counts.
 */
export async function* benchRebuild(): BenchRows {
  yield await inFolder(
    `rebuild records, ${LEDGER_EVENTS} postings`,
    writeLedgers,
    documentsDefinition(recordsStore),
    recordsProjection(recordsStore),
  )
  yield await inFolder(
    `rebuild catalog, ${ITEMS} small items`,
    writeItems,
    catalogDefinition,
    catalogProjection,
  )
}

async function inFolder<Change>(
  name: string,
  writePast: (past: Past) => Promise<number>,
  definition: ReadModelDefinition<Change>,
  projection: Projection<Change>,
): Promise<BenchRow> {
  const folder = mkdtempSync(join(tmpdir(), 'medialog-bench-rebuild-'))
  const store = await openSqliteEventStore({ path: join(folder, 'log.db') })
  try {
    const artifacts = await openFsArtifactStore(join(folder, 'artifacts'))
    const events = await writePast({ store, artifacts })
    const head = await store.head()
    const readModels = openDatabaseStore({ folder, definition })
    const seconds = { measured: Infinity, baseline: Infinity }
    for (let round = 0; round < ROUNDS; round++) {
      const started = performance.now()
      const build = await readModels.build()
      await replay(projection, { log: store, artifacts }, build, head)
      seconds.measured = Math.min(seconds.measured, (performance.now() - started) / 1_000)
      if (round === 0) {
        await build.promote()
        await build.close()
      } else await build.discard()
      const rows = finishedRows(join(folder, `${definition.name}-1.sqlite`))
      const path = join(folder, `bare-${round}.sqlite`)
      seconds.baseline = Math.min(seconds.baseline, await insertBare(store, definition.schema, rows, path))
    }
    return row(name, events / seconds.baseline, events / seconds.measured, 'events/s')
  } finally {
    await store.close()
    rmSync(folder, { recursive: true })
  }
}

type Rows = Map<string, SQLInputValue[][]>

function finishedRows(path: string): Rows {
  const database = new DatabaseSync(path, { readOnly: true })
  const tables = database
    .prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")
    .all()
    .map(({ name }) => name as string)
    .filter((name) => name !== 'checkpoint')
  const rows = new Map(
    tables.map((table) => {
      const all = database.prepare(`SELECT * FROM "${table}"`)
      all.setReturnArrays(true)
      all.setReadBigInts(true)
      return [table, all.all() as unknown as SQLInputValue[][]]
    }),
  )
  database.close()
  return rows
}

/** Seconds. */
async function insertBare(
  store: ChainedEventStore,
  schema: string,
  rows: Rows,
  path: string,
): Promise<number> {
  const started = performance.now()
  const database = new DatabaseSync(path)
  database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA secure_delete = ON')
  database.exec(`PRAGMA cache_size = -32768; PRAGMA foreign_keys = OFF; ${schema}`)
  for (const { name } of database.prepare("SELECT name FROM sqlite_schema WHERE type = 'trigger'").all())
    database.exec(`DROP TRIGGER ${name as string}`)
  const total = await store.head()
  const tables = [...rows]
    .filter(([, values]) => values.length > 0)
    .map(([table, values]) => ({
      values,
      insert: database.prepare(`INSERT INTO "${table}" VALUES (${values[0]!.map(() => '?').join(', ')})`),
      inserted: 0,
    }))
  let read = 0
  while (read < total) {
    let page = 0
    for await (const _ of store.readAll(read, { limit: PAGE })) page++
    read += page
    database.exec('BEGIN IMMEDIATE')
    for (const table of tables)
      for (
        const end = Math.floor((table.values.length * read) / total);
        table.inserted < end;
        table.inserted++
      )
        table.insert.run(...table.values[table.inserted]!)
    database.exec('COMMIT')
  }
  database.close()
  return (performance.now() - started) / 1_000
}

/** Ledgers of uploads, charged and settled, every tenth refunded, over two months. */
async function writeLedgers({ store }: Past): Promise<number> {
  const perLedger = LEDGER_EVENTS / LEDGERS
  for (let ledger = 0; ledger < LEDGERS; ledger++) {
    const stream: StreamName = `ledger-${randomUUID()}`
    let at = Date.parse('2026-09-20T10:00:00Z')
    const credit = { creditId: randomUUID(), amount: usd('1000'), reference: null }
    const events = [newEvent({ type: 'BalanceCredited', ...credit, at })]
    while (events.length < perLedger) {
      const chargeId = randomUUID()
      const lines = [
        { price: 'DOCUMENT_PROCESSING', amount: usd('0.03') },
        { price: 'VECTOR_PROCESSING', amount: usd('0.01') },
      ]
      const cause = { operation: 'upload', jobId: chargeId, mediaId: randomUUID() }
      const amount = usd('0.04')
      at += 1_000_000
      events.push(newEvent({ type: 'BalanceCharged', chargeId, amount, lines, cause, at }))
      const refund = { refundId: `refund-${chargeId}`, chargeId, amount, lines, reason: 'failed', at }
      if (events.length % 10 < 2) events.push(newEvent({ type: 'BalanceRefunded', ...refund }))
      else events.push(newEvent({ type: 'ChargeSettled', chargeId, at }))
    }
    events.length = perLedger
    let revision: number | 'no-stream' = 'no-stream'
    for (let start = 0; start < events.length; start += 500)
      ({ revision } = await store.append(stream, revision, events.slice(start, start + 500)))
  }
  return LEDGER_EVENTS
}

/** Items of one page each: four chunks. */
async function writeItems(past: Past): Promise<number> {
  const accountId = randomUUID()
  for (let start = 0; start < ITEMS; start += 50)
    await Promise.all(Array.from({ length: 50 }, (_, index) => writeItem(past, accountId, start + index)))
  return ITEMS
}
