import {
  SHOWN_BATCH_STATUSES,
  type Batches,
  type BatchJobRecord,
  type BatchRecord,
  type ShownBatchStatus,
} from '@medialog/application/ports'
import type { DecodedEvent } from '@medialog/contract'
import type { BatchIntent } from '@medialog/domain'
import type { Uuid } from '@medialog/kernel'
import { kindOf, type DocumentQueries, type Documents, type RecordModel } from '../documents.ts'

/** A batch without the states of its jobs, which their own documents have. */
interface StoredBatch extends Omit<BatchRecord, 'status' | 'jobs' | 'atWork' | 'charged' | 'refunded'> {
  /** An intent, `submitted`, is not shown. */
  status: ShownBatchStatus | 'submitted'
  /** When it completed, failed or was cancelled; its last job may have ended later. */
  endedAt: number | null
  /** Digits of nano-USD. */
  charged: string
  refunded: string
  jobIds: Uuid[]
}

interface StoredJob extends BatchJobRecord {
  batchId: Uuid
  accountId: Uuid
  /** Its place among the files of the batch. */
  number: number
  /** Milliseconds that its file was worked on, as measured by the process that did. */
  tookMs: number | null
  /** Of one that takes long, from its first report on: how much of its file was worked on. */
  percent?: number
}

const batches = kindOf<StoredBatch>('batch', {
  fields: { accountId: 'keyword', batchId: 'keyword', status: 'keyword', createdAt: 'long' },
  indexes: [['accountId', 'createdAt', 'batchId']],
  // Removing a batch finds its jobs by it.
  isWrittenLast: true,
})
const jobs = kindOf<StoredJob>('job', {
  fields: {
    batchId: 'keyword',
    accountId: 'keyword',
    mediaId: 'keyword',
    status: 'keyword',
    number: 'long',
    sizeBytes: 'long',
    endedAt: 'long',
    tookMs: 'long',
  },
  indexes: [
    ['batchId', 'number'],
    ['batchId', 'status', 'endedAt'],
    ['accountId', 'mediaId', 'batchId'],
    ['accountId', 'endedAt', 'batchId', 'sizeBytes'],
    ['accountId', 'status', 'endedAt', 'batchId', 'number'],
  ],
})
const jobIdOf = (batchId: Uuid, jobId: Uuid): string => `${batchId}/${jobId}`

/** Batches, their jobs and what they cost. */
export const batchesModel: RecordModel = {
  name: 'batches',
  kinds: [batches, jobs],
  reducers: { batch: ofBatch, media: ofMedia, ledger: ofLedger },
}

function ofBatch({ event, id: batchId }: DecodedEvent<'batch'>, documents: Documents): void {
  const changeBatch = (changed: Partial<StoredBatch>): void =>
    documents.update(batches, batchId, (before) => before && { ...before, ...changed })
  const changeJob = (jobId: Uuid, changed: Partial<StoredJob>): void =>
    documents.update(jobs, jobIdOf(batchId, jobId), (before) => before && { ...before, ...changed })
  switch (event.type) {
    case 'BatchSubmitted':
      return submit(event, documents)
    case 'BatchErased':
    case 'BatchRejected':
      return documents.update(batches, batchId, (before) => {
        for (const jobId of before?.jobIds ?? []) documents.remove(jobs, jobIdOf(batchId, jobId))
        return null
      })
    case 'BatchCreated':
      return changeBatch({ status: 'created' })
    case 'BatchStarted':
      return changeBatch({ status: 'running', startedAt: event.at })
    case 'BatchCancelled':
      return changeBatch({ status: 'cancelled', endedAt: event.at })
    case 'BatchCompleted':
      return changeBatch({ status: 'completed', endedAt: event.at })
    case 'BatchFailed':
      return changeBatch({ status: 'failed', endedAt: event.at })
    case 'JobProgressed':
      return changeJob(event.jobId, { percent: event.percent })
    case 'JobSucceeded': {
      const { jobId, tookMs, at: endedAt } = event
      return changeJob(jobId, { status: 'succeeded', error: null, tookMs, endedAt })
    }
    case 'JobSkipped':
      return changeJob(event.jobId, { status: 'skipped', error: null, tookMs: null, endedAt: event.at })
    case 'JobFailed': {
      const { jobId, code, message, at: endedAt } = event
      return changeJob(jobId, { status: 'failed', error: { code, message }, tookMs: null, endedAt })
    }
  }
}

/** The duplicates among its files are skipped from then on. */
function submit(intent: BatchIntent, documents: Documents): void {
  const { batchId, accountId, name, collection, overwrite, at } = intent
  const batch: StoredBatch = {
    batchId,
    accountId,
    name,
    collection,
    overwrite,
    status: 'submitted',
    createdAt: at,
    startedAt: null,
    endedAt: null,
    charged: '0',
    refunded: '0',
    jobIds: intent.jobs.map(({ jobId }) => jobId),
  }
  documents.update(batches, batchId, (before) => before ?? batch)
  for (const [number, { jobId, mediaId, mediaType, sizeBytes, duplicate }] of intent.jobs.entries()) {
    const job: StoredJob = {
      batchId,
      accountId,
      number,
      jobId,
      mediaId,
      mediaType,
      sizeBytes,
      status: duplicate ? 'skipped' : 'pending',
      endedAt: duplicate ? at : null,
      error: null,
      tookMs: null,
    }
    documents.update(jobs, jobIdOf(batchId, jobId), (before) => before ?? job)
  }
}

/** A job is processing from its claim on, and again from the next one. The claim is erased with its item, so no more is made of it. */
function ofMedia({ event }: DecodedEvent<'media'>, documents: Documents): void {
  if (event.type !== 'IngestClaimed' || event.batchId === null) return
  const start = (job: StoredJob | null): StoredJob | null => {
    if (job?.status !== 'pending' && job?.status !== 'processing') return job
    const { percent: _, ...begun } = job
    return { ...begun, status: 'processing' }
  }
  documents.update(jobs, jobIdOf(event.batchId, event.jobId), start)
}

/** The charge of a batch has its id. */
function ofLedger({ event }: DecodedEvent<'ledger'>, documents: Documents): void {
  const count = (field: 'charged' | 'refunded', chargeId: string, amount: bigint): void =>
    documents.update(
      batches,
      chargeId,
      (batch) => batch && { ...batch, [field]: String(BigInt(batch[field]) + amount) },
    )
  if (event.type === 'BalanceCharged' && event.cause.batchId) count('charged', event.chargeId, event.amount)
  if (event.type === 'BalanceRefunded') count('refunded', event.chargeId, event.amount)
}

/** The mean time of a job is taken over so many of the last ones. */
const MEASURED = 50
const NO_JOBS = { total: 0, processing: 0, succeeded: 0, skipped: 0, failed: 0 }

/** How the jobs of a batch are, and when the last of those that ended did. */
interface Tally {
  jobs: BatchRecord['jobs']
  endedAt: number
}

/** Batches and their jobs. */
export function batchesOf(read: DocumentQueries): Batches {
  async function recordsOf(found: readonly StoredBatch[]): Promise<BatchRecord[]> {
    const tallies = await talliesOf(found.map(({ batchId }) => batchId))
    const atWork = await atWorkOf(
      [...tallies].filter(([, { jobs }]) => jobs.processing > 0).map(([id]) => id),
    )
    return found.map((batch) => recordOf(batch, tallies.get(batch.batchId), atWork.get(batch.batchId)))
  }

  /** Jobs of which it is known how far they are. */
  async function atWorkOf(batchIds: readonly Uuid[]): Promise<Map<Uuid, BatchRecord['atWork']>> {
    const found = new Map<Uuid, BatchRecord['atWork']>()
    if (batchIds.length === 0) return found
    const processing = await read.find(jobs, {
      where: { batchId: { in: batchIds }, status: 'processing' },
      sort: [
        ['batchId', 'asc'],
        ['number', 'asc'],
      ],
    })
    for (const { batchId, jobId, percent } of processing)
      if (percent !== undefined) found.set(batchId, [...(found.get(batchId) ?? []), { jobId, percent }])
    return found
  }

  async function talliesOf(batchIds: readonly Uuid[]): Promise<Map<Uuid, Tally>> {
    const tallies = new Map<Uuid, Tally>()
    if (batchIds.length === 0) return tallies
    const groups = await read.group(jobs, {
      where: { batchId: { in: batchIds } },
      by: ['batchId', 'status'],
      max: 'endedAt',
    })
    for (const { key, count, max } of groups) {
      const { batchId, status } = key
      const before = tallies.get(batchId) ?? { jobs: NO_JOBS, endedAt: 0 }
      tallies.set(batchId, {
        jobs: {
          ...before.jobs,
          total: before.jobs.total + count,
          ...(status !== 'pending' && { [status]: count }),
        },
        endedAt: Math.max(before.endedAt, max ?? 0),
      })
    }
    return tallies
  }

  return {
    async batch(accountId, batchId) {
      const batch = await read.get(batches, batchId)
      if (batch?.accountId !== accountId || batch.status === 'submitted') return null
      return (await recordsOf([batch]))[0]!
    },

    async list(accountId, { status }, page) {
      const { documents, total } = await read.page(
        batches,
        {
          where: { accountId, status: status ?? { in: SHOWN_BATCH_STATUSES } },
          sort: [
            ['createdAt', 'desc'],
            ['batchId', 'desc'],
          ],
        },
        page,
      )
      return { batches: await recordsOf(documents), total }
    },

    async jobs(accountId, batchId) {
      const found = await read.find(jobs, { where: { batchId, accountId }, sort: [['number', 'asc']] })
      return found.map(({ jobId, mediaId, mediaType, sizeBytes, status, error, endedAt }) => ({
        jobId,
        mediaId,
        mediaType,
        sizeBytes,
        status,
        error,
        endedAt,
      }))
    },

    async ofItems(accountId, mediaIds) {
      const where = { accountId, mediaId: { in: mediaIds } }
      return (await read.group(jobs, { where, by: ['mediaId', 'batchId'] })).map(({ key }) => key)
    },

    async open(accountId) {
      const where = { accountId, endedAt: null }
      const groups = await read.group(jobs, { where, by: ['batchId'], sum: 'sizeBytes' })
      return groups.map(({ key, count, sum }) => ({ ...key, jobs: count, bytes: sum }))
    },

    async meanJobMs(accountId) {
      const found = await read.find(jobs, {
        where: { accountId, status: 'succeeded', tookMs: { gte: 0 } },
        sort: [
          ['endedAt', 'desc'],
          ['batchId', 'desc'],
          ['number', 'desc'],
        ],
        limit: MEASURED,
      })
      return found.length === 0 ? null : found.reduce((sum, job) => sum + job.tookMs!, 0) / found.length
    },

    position: () => read.position(),
  }
}

function recordOf(
  batch: StoredBatch,
  { jobs, endedAt }: Tally = { jobs: NO_JOBS, endedAt: 0 },
  atWork: BatchRecord['atWork'] = [],
): BatchRecord {
  const { batchId, accountId, name, collection, overwrite, status, createdAt, startedAt } = batch
  return {
    batchId,
    accountId,
    name,
    collection,
    overwrite,
    status: status as ShownBatchStatus,
    createdAt,
    startedAt,
    endedAt: batch.endedAt === null ? null : Math.max(batch.endedAt, endedAt),
    jobs,
    atWork,
    charged: BigInt(batch.charged),
    refunded: BigInt(batch.refunded),
  }
}
