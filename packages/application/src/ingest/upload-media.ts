import { DuplicateMedia } from '@medialog/domain'
import { sum, typedMediaId, type Uuid } from '@medialog/kernel'
import { recordedAnswer } from '../ask/recorded-answer.ts'
import { settleRefund } from '../billing/charging.ts'
import { refuseUnpayable } from '../billing/paying.ts'
import { ingestPrice } from '../billing/prices.ts'
import type { Quota } from '../billing/quota.ts'
import type { RequestContext } from '../core/context.ts'
import { ReplayGone, StoredUnread } from '../core/errors.ts'
import { mediaIdOf, requestStreamOf } from '../core/ids.ts'
import { originOf } from '../core/origin.ts'
import type { Ports } from '../core/ports.ts'
import { settleReads } from '../core/read-your-writes.ts'
import { unlessAway } from '../core/unless-away.ts'
import { presentItems } from '../library/present-items.ts'
import { EngineUnavailable, type IngestJob, type StagedFile } from '../ports/index.ts'
import { once, placeAsked } from '../requests/idempotency.ts'
import type { Fate } from '../requests/request-key.ts'
import { answerOf, type IngestAnswer } from './ingest-answer.ts'
import { readAnew, readIngest, type UploadedMedia } from './read-ingest.ts'

export type UploadPorts = Pick<
  Ports,
  | 'streams'
  | 'eventStore'
  | 'orchestrator'
  | 'staging'
  | 'understanding'
  | 'settings'
  | 'clock'
  | 'background'
  | 'projections'
  | 'catalog'
  | 'artifacts'
>

export interface UploadMedia {
  staged: StagedFile
  filename: string
  /** Null: `default` or, when overwriting, where the item is. */
  collection: string | null
  overwrite: boolean
  idempotencyKey?: string
}

/**
 * Ingests one staged file: the refusals that need no log entry first, then the saga. The job carries the request's own
 * id, so that what a crash leaves open is found from either. Where `signal` aborts before the item is stored, the upload is
 * cancelled and refunded.
 */
export async function uploadMedia(
  ports: UploadPorts,
  quota: Quota,
  context: RequestContext,
  command: UploadMedia,
  signal?: AbortSignal,
): Promise<UploadedMedia> {
  const { staging } = ports
  try {
    const job = jobOf(ports, context, command)
    const { answer, replayed } = await once(ports, {
      accountId: job.accountId,
      requestId: job.requestId,
      origin: originOf(context),
      stream: job.requestStream,
      fingerprint: fingerprintOf(job),
      work: async () => {
        await refuseEarly(ports, quota, context, job)
        return ingest(ports, context, job, signal)
      },
      fateOf: (requestId) => fateOf(ports, job, requestId),
    })
    const uploaded = await readIngest(ports, job.accountId, answer, { replayed })
      .catch((error: unknown) => {
        if (replayed || !(error instanceof ReplayGone)) throw error
        return readAnew(ports, job, answer)
      })
      .catch((error: unknown) => {
        const mediaId = typedMediaId(job.format.mediaType, job.mediaId)
        throw error instanceof EngineUnavailable ? new StoredUnread(mediaId, error) : error
      })
    await settleReads(ports, answer.position)
    return { ...uploaded, replayed }
  } finally {
    await staging.release(command.staged.id)
  }
}

const fingerprintOf = ({ staged, collection, overwrite }: IngestJob): string =>
  JSON.stringify(['upload', placeAsked(collection, overwrite), overwrite, staged.sha256])

function jobOf(
  { settings, understanding }: UploadPorts,
  context: RequestContext,
  command: UploadMedia,
): IngestJob {
  const { principal, requestId, correlationId, traceparent } = context
  const { filename, collection, overwrite, idempotencyKey } = command
  const { head, ...staged } = command.staged
  const { accountId } = principal
  return {
    accountId,
    actor: principal.keyId,
    requestId,
    correlationId,
    traceparent,
    jobId: requestId,
    ingestId: requestId,
    requestStream: idempotencyKey === undefined ? null : requestStreamOf(accountId, idempotencyKey),
    batchId: null,
    mediaId: mediaIdOf(accountId, staged.sha256),
    staged,
    filename,
    format: understanding.identify(filename, head),
    collection,
    overwrite,
    price: ingestPrice(settings.prices),
  }
}

/** The outcome of the same upload when it was sent before: its job and its ingest had the id of that request. */
async function fateOf(
  ports: UploadPorts,
  { accountId, mediaId }: IngestJob,
  requestId: Uuid,
): Promise<Fate<IngestAnswer>> {
  const { selected: fate } = await ports.streams.load(
    'media',
    mediaId,
    ({ claim, ended }) => ended.get(requestId) ?? (claim?.ingestId === requestId ? 'open' : 'untold'),
  )
  if (fate === 'released') return 'over'
  if (fate !== 'recorded') return fate
  const ingest = { accountId, mediaId, ingestId: requestId, jobId: requestId }
  const answer = await recordedAnswer(ports, ingest)
  return answer ? { answer } : 'over'
}

/** Conflict, then quota, then money: in that order, before anything is written. The deciders are the judges of races. */
async function refuseEarly(
  ports: UploadPorts,
  quota: Quota,
  context: RequestContext,
  job: IngestJob,
): Promise<void> {
  if (!job.overwrite) await refuseDuplicate(ports, job)
  await refuseUnpayable(ports, quota, context, sum(job.price.map((line) => line.amount)))
}

/**
 * The saga. What was stored by another request in the meantime is named like any other duplicate; after any other failure
 * reads show the refund. An append may be reported as failed and succeed: an item that is recorded by then was paid for, and
 * is the answer.
 */
async function ingest(
  ports: UploadPorts,
  context: RequestContext,
  job: IngestJob,
  signal?: AbortSignal,
): Promise<IngestAnswer> {
  try {
    return answerOf(context, await ports.orchestrator.ingest(job, signal))
  } catch (error) {
    // A duplicate is found before anything is charged.
    if (!(error instanceof DuplicateMedia)) {
      const fate = await unlessAway(fateOf(ports, job, job.requestId))
      if (typeof fate === 'object' && fate) return fate.answer
      await unlessAway(settleRefund(ports, job.accountId, job.jobId))
    } else {
      const { position } = await ports.streams.load('media', job.mediaId, () => null)
      await settleReads(ports, position, ['catalog'])
      await refuseDuplicate(ports, job)
    }
    throw error
  }
}

/** @throws DuplicateMedia where the account has the same content already */
async function refuseDuplicate(ports: UploadPorts, { accountId, mediaId }: IngestJob): Promise<void> {
  const [item] = (await unlessAway(presentItems(ports, accountId, [mediaId]))) ?? []
  if (!item) return
  const { mediaType, collection } = item
  throw new DuplicateMedia({ media_id: typedMediaId(mediaType, mediaId), collection })
}
