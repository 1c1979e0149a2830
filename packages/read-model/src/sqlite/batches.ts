import type {
  Batches,
  BatchJobRecord,
  BatchRecord,
  OpenBatch,
  ShownBatchStatus,
} from '@medialog/application/ports'
import type { JobErrorCode } from '@medialog/domain'
import type { Money } from '@medialog/kernel'
import type { SQLInputValue } from 'node:sqlite'
import { guarded, type DatabaseSource } from './source.ts'
import { Statements } from './statements.ts'

const RECORD = `
  SELECT batch_id AS batchId, account_id AS accountId, name, collection, overwrite, status, created_at AS createdAt,
    started_at AS startedAt, ended_at AS endedAt, charged, refunded,
    (SELECT count(*) FROM job WHERE job.batch_id = batch.batch_id) AS total`
const NUMBERS = ['processing', 'succeeded', 'skipped', 'failed']
  .map(
    (status) =>
      `(SELECT count(*) FROM job WHERE job.batch_id = batch.batch_id AND job.status = '${status}') AS ${status}`,
  )
  .join(', ')
const SHOWN = `account_id = ? AND status <> 'submitted'`
const BATCH = `${RECORD}, ${NUMBERS} FROM batch WHERE ${SHOWN} AND batch_id = ?`
const PAGE = (where: string) =>
  `${RECORD}, ${NUMBERS} FROM batch WHERE ${where} ORDER BY created_at DESC, batch_id DESC LIMIT ? OFFSET ?`
const COUNT = (where: string) => `SELECT count(*) AS total FROM batch WHERE ${where}`
const OF_STATUS = `${SHOWN} AND status = ?`
const JOBS = `
  SELECT job_id AS jobId, media_id AS mediaId, media_type AS mediaType, size_bytes AS sizeBytes, status,
    error_code AS code, error_message AS message, ended_at AS endedAt
  FROM job WHERE account_id = ? AND batch_id = ? ORDER BY number`
/** How many jobs the mean time is of. */
const MEASURED = 50
const MEAN = `
  SELECT avg(took_ms) AS mean FROM (
    SELECT took_ms FROM job
    WHERE account_id = ? AND status = 'succeeded' AND took_ms IS NOT NULL ORDER BY ended_at DESC LIMIT ${MEASURED})`
const OF_ITEMS = `
  SELECT DISTINCT media_id AS mediaId, batch_id AS batchId FROM job
  WHERE account_id = ? AND media_id IN (SELECT value FROM json_each(?))`
const OPEN = `
  SELECT batch_id AS batchId, count(*) AS jobs, sum(size_bytes) AS bytes FROM job
  WHERE account_id = ? AND ended_at IS NULL GROUP BY batch_id ORDER BY batch_id`

interface BatchRow {
  batchId: string
  accountId: string
  name: string | null
  collection: string | null
  overwrite: bigint
  status: ShownBatchStatus
  createdAt: bigint
  startedAt: bigint | null
  endedAt: bigint | null
  charged: Money
  refunded: Money
  total: bigint
  processing: bigint
  succeeded: bigint
  skipped: bigint
  failed: bigint
}

type JobRow = Omit<BatchJobRecord, 'error'> & { code: JobErrorCode | null; message: string | null }

const numberOrNull = (value: bigint | null): number | null => (value === null ? null : Number(value))

function recordOf({ total, processing, succeeded, skipped, failed, ...row }: BatchRow): BatchRecord {
  return {
    ...row,
    overwrite: row.overwrite === 1n,
    createdAt: Number(row.createdAt),
    startedAt: numberOrNull(row.startedAt),
    endedAt: numberOrNull(row.endedAt),
    jobs: {
      total: Number(total),
      processing: Number(processing),
      succeeded: Number(succeeded),
      skipped: Number(skipped),
      failed: Number(failed),
    },
  }
}

const jobOf = ({ code, message, ...row }: JobRow): BatchJobRecord => ({
  ...row,
  error: code === null ? null : { code, message: message ?? '' },
})

/** Batches and their jobs, read from their SQLite read model. */
export function openBatches(source: DatabaseSource): Batches {
  const statements = new Statements(source)
  const records = (sql: string, ...values: SQLInputValue[]): BatchRecord[] => {
    const statement = statements.get(sql)
    // Amounts may be more than a double holds.
    statement.setReadBigInts(true)
    return statement.all(...values).map((row) => recordOf({ ...row } as unknown as BatchRow))
  }
  return guarded(source, {
    batch: async (accountId, batchId) => records(BATCH, accountId, batchId)[0] ?? null,

    async list(accountId, { status }, { offset, limit }) {
      const where = status ? OF_STATUS : SHOWN
      const values = status ? [accountId, status] : [accountId]
      return statements.snapshot(() => ({
        batches: records(PAGE(where), ...values, limit, offset),
        total: statements.get(COUNT(where)).get(...values)!.total as number,
      }))
    },

    jobs: async (accountId, batchId) =>
      statements
        .get(JOBS)
        .all(accountId, batchId)
        .map((row) => jobOf({ ...row } as unknown as JobRow)),

    meanJobMs: async (accountId) => statements.get(MEAN).get(accountId)!.mean as number | null,

    ofItems: async (accountId, mediaIds) =>
      statements
        .get(OF_ITEMS)
        .all(accountId, JSON.stringify(mediaIds))
        .map((row) => ({ ...row }) as { mediaId: string; batchId: string }),

    open: async (accountId) =>
      statements
        .get(OPEN)
        .all(accountId)
        .map((row) => ({ ...row }) as unknown as OpenBatch),

    position: async () => statements.get('SELECT position FROM checkpoint').get()!.position as number,
  })
}
