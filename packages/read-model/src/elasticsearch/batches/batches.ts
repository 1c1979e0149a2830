import type { Batches, BatchJobRecord, BatchRecord, ShownBatchStatus } from '@medialog/application/ports'
import type { Uuid } from '@medialog/kernel'
import { buckets } from '../buckets.ts'
import { unavailableWhenAway } from '../connection.ts'
import { collected, everything, readPage } from '../pages.ts'
import type { Query } from '../query.ts'
import { readerOf, type ReaderOptions } from '../reader.ts'
import type { BatchDocument, JobDocument } from './definition.ts'

/** How many jobs the mean time is of. */
const MEASURED = 50

const NO_JOBS = { total: 0, processing: 0, succeeded: 0, skipped: 0, failed: 0 }
const NOT_ENDED: Query = { bool: { must_not: { exists: { field: 'endedAt' } } } }

/** How the jobs of a batch are, and when the last of those that did ended. */
interface Tally {
  jobs: BatchRecord['jobs']
  endedAt: number
}

/** Batches and their jobs over Elasticsearch. */
export function openElasticsearchBatches(options: ReaderOptions): Batches {
  const { client, index, position } = readerOf(options, 'batches')

  const of = (kind: 'batch' | 'job', accountId: Uuid, ...filter: Query[]) => ({
    index,
    query: { bool: { filter: [{ term: { kind } }, { term: { accountId } }, ...filter] } },
  })

  const shown = (accountId: Uuid, ...filter: Query[]) =>
    of('batch', accountId, { bool: { must_not: { term: { status: 'submitted' } } } }, ...filter)

  async function recordsOf(accountId: Uuid, batches: readonly BatchDocument[]): Promise<BatchRecord[]> {
    const tallies = await talliesOf(
      accountId,
      batches.map(({ batchId }) => batchId),
    )
    return batches.map((batch) => recordOf(batch, tallies.get(batch.batchId)))
  }

  async function talliesOf(accountId: Uuid, batchIds: readonly Uuid[]): Promise<Map<Uuid, Tally>> {
    const tallies = new Map<Uuid, Tally>()
    if (batchIds.length === 0) return tallies
    const found = await buckets<{ doc_count: number; ended: { value: number | null } }, 'batchId' | 'status'>(
      client,
      of('job', accountId, { terms: { batchId: [...batchIds] } }),
      ['batchId', 'status'],
      { ended: { max: { field: 'endedAt' } } },
    )
    for (const { key, doc_count: count, ended } of found) {
      const { jobs, endedAt } = tallies.get(key.batchId) ?? { jobs: NO_JOBS, endedAt: 0 }
      const status = key.status as BatchJobRecord['status']
      tallies.set(key.batchId, {
        jobs: { ...jobs, total: jobs.total + count, ...(status !== 'pending' && { [status]: count }) },
        endedAt: Math.max(endedAt, ended.value ?? 0),
      })
    }
    return tallies
  }

  return unavailableWhenAway<Batches>({
    async batch(accountId, batchId) {
      const found = await collected(
        everything<BatchDocument>(client, {
          ...shown(accountId, { term: { batchId } }),
          sort: [{ id: 'asc' }],
        }),
      )
      return (await recordsOf(accountId, found))[0] ?? null
    },

    async list(accountId, { status }, page) {
      const filter = status ? [{ term: { status } }] : []
      const { documents, total } = await readPage<BatchDocument>(
        client,
        { ...shown(accountId, ...filter), sort: [{ createdAt: 'desc' }, { batchId: 'desc' }] },
        page,
      )
      return { batches: await recordsOf(accountId, documents), total }
    },

    async jobs(accountId, batchId) {
      const wanted = of('job', accountId, { term: { batchId } })
      return (await collected(everything<JobDocument>(client, { ...wanted, sort: [{ number: 'asc' }] }))).map(
        jobOf,
      )
    },

    async ofItems(accountId, mediaIds) {
      const wanted = of('job', accountId, { terms: { mediaId: [...mediaIds] } })
      const found = await buckets<{ doc_count: number }, 'mediaId' | 'batchId'>(client, wanted, [
        'mediaId',
        'batchId',
      ])
      return found.map(({ key }) => key)
    },

    async open(accountId) {
      const found = await buckets<{ doc_count: number; bytes: { value: number } }, 'batchId'>(
        client,
        of('job', accountId, NOT_ENDED),
        ['batchId'],
        { bytes: { sum: { field: 'sizeBytes' } } },
      )
      return found.map(({ key, doc_count: jobs, bytes }) => ({
        batchId: key.batchId,
        jobs,
        bytes: bytes.value,
      }))
    },

    async meanJobMs(accountId) {
      const { hits } = await client.search<JobDocument>({
        ...of('job', accountId, { term: { status: 'succeeded' } }, { exists: { field: 'tookMs' } }),
        sort: [{ endedAt: 'desc' }, { id: 'asc' }],
        size: MEASURED,
        track_total_hits: false,
      })
      const took = hits.hits.map(({ _source }) => _source!.tookMs!)
      return took.length === 0 ? null : took.reduce((sum, ms) => sum + ms, 0) / took.length
    },

    position,
  })
}

function recordOf(batch: BatchDocument, tally: Tally = { jobs: NO_JOBS, endedAt: 0 }): BatchRecord {
  const { batchId, accountId, name, collection, overwrite, status, createdAt, startedAt, endedAt } = batch
  return {
    batchId,
    accountId,
    name,
    collection,
    overwrite,
    status: status as ShownBatchStatus,
    createdAt,
    startedAt,
    endedAt: endedAt === null ? null : Math.max(endedAt, tally.endedAt),
    jobs: tally.jobs,
    charged: BigInt(batch.charged),
    refunded: BigInt(batch.refunded),
  }
}

const jobOf = (job: JobDocument): BatchJobRecord => {
  const { jobId, mediaId, mediaType, sizeBytes, status, error, endedAt } = job
  return { jobId, mediaId, mediaType, sizeBytes, status, error, endedAt }
}
