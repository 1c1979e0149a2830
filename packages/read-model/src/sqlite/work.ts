import type { UnfinishedErasure, UnfinishedWork } from '@medialog/application/ports'
import type { BatchStatus, Cause } from '@medialog/domain'
import type { StreamName } from '@medialog/kernel'
import { guarded, type DatabaseSource } from './source.ts'
import { Statements } from './statements.ts'

const INGESTS = `
  SELECT account_id AS accountId, media_id AS mediaId, ingest_id AS ingestId, job_id AS jobId, batch_id AS batchId, at
  FROM ingest ORDER BY position`
const CHARGES = `
  SELECT account_id AS accountId, charge_id AS chargeId, rest, cause, at FROM charge ORDER BY opened_position`
const REQUESTS = `
  SELECT stream, account_id AS accountId, request_id AS requestId, at FROM request ORDER BY position`
const ERASURES = 'SELECT erasure_id AS erasureId, account_id AS accountId FROM erasure ORDER BY position'
const BATCHES = 'SELECT batch_id AS batchId, account_id AS accountId, status FROM batch ORDER BY position'

interface ChargeRow {
  accountId: string
  chargeId: string
  rest: bigint
  cause: string
  at: bigint
}

/** What was begun and has not ended, in the order in which it began, read from its SQLite read model. */
export function openUnfinishedWork(source: DatabaseSource): UnfinishedWork {
  const statements = new Statements(source)
  const rows = <Row>(sql: string): Row[] =>
    statements
      .get(sql)
      .all()
      .map((row) => ({ ...row }) as Row)
  return guarded(source, {
    ingests: async () => rows(INGESTS),

    async charges() {
      statements.get(CHARGES).setReadBigInts(true)
      return rows<ChargeRow>(CHARGES).map(({ cause, at, ...row }) => ({
        ...row,
        cause: JSON.parse(cause) as Cause,
        at: Number(at),
      }))
    },

    requests: async () =>
      rows<{ stream: StreamName; accountId: string; requestId: string; at: number }>(REQUESTS),
    batches: async () => rows<{ batchId: string; accountId: string; status: BatchStatus }>(BATCHES),
    erasures: async () => rows<UnfinishedErasure>(ERASURES),
    position: async () => statements.get('SELECT position FROM checkpoint').get()!.position as number,
  })
}
