import type { BatchesChange, BatchJobRecord, BatchRecord } from '@medialog/application/ports'
import type { BatchIntent } from '@medialog/domain'
import type { Uuid } from '@medialog/kernel'
import { keyword, long } from '../definition.ts'
import type { Place } from '../documents-of-batch.ts'
import { plainIndex, type PlainDocuments } from '../plain-index.ts'

/** A batch without its jobs' states, which their own documents tell. */
export interface BatchDocument extends Omit<BatchRecord, 'status' | 'jobs' | 'charged' | 'refunded'> {
  kind: 'batch'
  /** `submitted` is shown to nobody. */
  status: BatchRecord['status'] | 'submitted'
  /** When it completed, failed or was cancelled; its last job may have ended later. */
  endedAt: number | null
  /** Digits of nano-USD. */
  charged: string
  refunded: string
  jobs: Uuid[]
}

export interface JobDocument extends BatchJobRecord {
  kind: 'job'
  batchId: Uuid
  accountId: Uuid
  /** Place among the files of the batch. */
  number: number
  /** Milliseconds that its file was worked on, as the process that did measured them. */
  tookMs: number | null
}

/** In place of what was rejected, so that nothing late brings it back. `jobs`: of a batch. */
interface GoneDocument {
  kind: 'gone'
  jobs: Uuid[]
}

type AnyDocument = BatchDocument | JobDocument | GoneDocument
type Documents = PlainDocuments<AnyDocument>
type Change<Type extends BatchesChange['type']> = Extract<BatchesChange, { type: Type }>

export const batchPlace = (batchId: Uuid): Place => ({ id: `batch/${batchId}`, routing: batchId })
const jobPlace = (batchId: Uuid, jobId: Uuid): Place => ({ id: `job/${batchId}/${jobId}`, routing: batchId })

/** Batches, their jobs and what they cost. */
export const batchesIndex = plainIndex<BatchesChange, AnyDocument>({
  name: 'batches',
  version: 2,
  properties: {
    batchId: keyword,
    accountId: keyword,
    mediaId: keyword,
    status: keyword,
    createdAt: long,
    endedAt: long,
    number: long,
    sizeBytes: long,
    tookMs: long,
  },
  kinds: ['batch', 'job'],
  concerned,
  apply,
})

function concerned(change: BatchesChange): Place[] {
  switch (change.type) {
    case 'PutIntent': {
      const { batchId, jobs } = change.intent
      return [batchPlace(batchId), ...jobs.map(({ jobId }) => jobPlace(batchId, jobId))]
    }
    case 'StartJob':
    case 'EndJob':
      return [jobPlace(change.batchId, change.jobId)]
    // A batch's charge has the batch's id.
    case 'Charge':
    case 'Refund':
      return [batchPlace(change.chargeId)]
    case 'RemoveBatch':
    case 'SetStatus':
      return [batchPlace(change.batchId)]
  }
}

async function apply(documents: Documents, change: BatchesChange, position: number): Promise<void> {
  const ofBatch = (batchId: Uuid, made: (batch: BatchDocument) => BatchDocument): Promise<void> =>
    documents.change(batchPlace(batchId), position, (before) =>
      before?.kind === 'batch' ? made(before) : null,
    )
  const ofJob = (
    { batchId, jobId }: { batchId: Uuid; jobId: Uuid },
    made: (job: JobDocument) => JobDocument | null,
  ): Promise<void> =>
    documents.change(jobPlace(batchId, jobId), position, (before) =>
      before?.kind === 'job' ? made(before) : null,
    )
  switch (change.type) {
    case 'PutIntent':
      return putIntent(documents, change.intent, position)
    case 'RemoveBatch':
      return remove(documents, change.batchId, position)
    case 'SetStatus':
      return ofBatch(change.batchId, (batch) => withStatus(batch, change))
    case 'StartJob':
      return ofJob(change, (job) => (job.status === 'pending' ? { ...job, status: 'processing' } : null))
    case 'EndJob': {
      const { status, error, tookMs, at: endedAt } = change
      return ofJob(change, (job) => ({ ...job, status, error, tookMs, endedAt }))
    }
    case 'Charge':
      return ofBatch(change.chargeId, (batch) => ({ ...batch, charged: plus(batch.charged, change.amount) }))
    case 'Refund':
      return ofBatch(change.chargeId, (batch) => ({
        ...batch,
        refunded: plus(batch.refunded, change.amount),
      }))
  }
}

const plus = (digits: string, amount: bigint): string => String(BigInt(digits) + amount)

function withStatus(batch: BatchDocument, { status, at }: Change<'SetStatus'>): BatchDocument {
  if (status === 'created') return { ...batch, status }
  return status === 'running' ? { ...batch, status, startedAt: at } : { ...batch, status, endedAt: at }
}

async function putIntent(documents: Documents, intent: BatchIntent, position: number): Promise<void> {
  const { batchId, accountId, name, collection, overwrite, jobs, at } = intent
  await documents.change(
    batchPlace(batchId),
    position,
    (before) =>
      before ?? {
        kind: 'batch',
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
        jobs: jobs.map(({ jobId }) => jobId),
      },
  )
  for (const [number, { jobId, mediaId, mediaType, sizeBytes, duplicate }] of jobs.entries())
    await documents.change(
      jobPlace(batchId, jobId),
      position,
      (before) =>
        before ?? {
          kind: 'job',
          batchId,
          accountId,
          number,
          jobId,
          mediaId,
          mediaType,
          sizeBytes,
          status: duplicate ? 'skipped' : 'pending',
          error: null,
          endedAt: duplicate ? at : null,
          tookMs: null,
        },
    )
}

/** An intent that was rejected leaves nothing. */
async function remove(documents: Documents, batchId: Uuid, position: number): Promise<void> {
  const { id, routing } = batchPlace(batchId)
  const batch = await documents.get<BatchDocument | GoneDocument>(id, routing)
  const jobs = batch?.jobs ?? []
  await documents.change({ id, routing }, position, () => ({ kind: 'gone', jobs }))
  for (const jobId of jobs)
    await documents.change(jobPlace(batchId, jobId), position, () => ({ kind: 'gone', jobs: [] }))
}
