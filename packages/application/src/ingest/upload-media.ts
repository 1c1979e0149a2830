import { DuplicateMedia } from '@medialog/domain'
import { sum, typedMediaId, type Uuid } from '@medialog/kernel'
import type { UploadedMedia, UploadMedia } from '../application.ts'
import { settleRefund } from '../billing/charging.ts'
import type { RequestContext } from '../core/context.ts'
import type { Dependencies } from '../dependencies.ts'
import { ReplayGone, StoredUnread } from '../core/errors.ts'
import { mediaIdOf, requestStreamOf } from '../core/ids.ts'
import { once, placeAsked } from '../requests/idempotency.ts'
import { originOf } from '../core/origin.ts'
import { ingestPrice } from '../billing/prices.ts'
import { EngineUnavailable, type IngestJob } from '../ports/index.ts'
import { presentItems } from '../library/present-items.ts'
import { readAnew, readIngest } from './read-ingest.ts'
import { recordedAnswer } from '../ask/recorded-answer.ts'
import { settleReads } from '../core/read-your-writes.ts'
import type { Fate } from '../requests/request-key.ts'
import { unlessAway } from '../core/unless-away.ts'
import { answerOf, type IngestAnswer } from './ingest-answer.ts'
import { refuseUnpayable } from '../billing/paying.ts'
import type { Quota } from '../billing/quota.ts'

/**
 * Ingests one staged file: the refusals that need no log entry first, then the saga. The job carries the request's own
 * id, so that what a crash leaves open is found from either. Where `signal` aborts before the item is stored, the upload is
 * cancelled and refunded.
 */
export async function uploadMedia(
  dependencies: Dependencies,
  quota: Quota,
  context: RequestContext,
  command: UploadMedia,
  signal?: AbortSignal,
): Promise<UploadedMedia> {
  const { staging } = dependencies
  try {
    const job = jobOf(dependencies, context, command)
    const { answer, replayed } = await once(dependencies, {
      accountId: job.accountId,
      requestId: job.requestId,
      origin: originOf(context),
      stream: job.requestStream,
      fingerprint: fingerprintOf(job),
      work: async () => {
        await refuseEarly(dependencies, quota, context, job)
        return ingest(dependencies, context, job, signal)
      },
      fateOf: (requestId) => fateOf(dependencies, job, requestId),
    })
    const uploaded = await readIngest(dependencies, job.accountId, answer, { replayed })
      .catch((error: unknown) => {
        if (replayed || !(error instanceof ReplayGone)) throw error
        return readAnew(dependencies, job, answer)
      })
      .catch((error: unknown) => {
        const mediaId = typedMediaId(job.format.mediaType, job.mediaId)
        throw error instanceof EngineUnavailable ? new StoredUnread(mediaId, error) : error
      })
    await settleReads(dependencies, answer.position)
    return { ...uploaded, replayed }
  } finally {
    await staging.release(command.staged.id)
  }
}

const fingerprintOf = ({ staged, collection, overwrite }: IngestJob): string =>
  JSON.stringify(['upload', placeAsked(collection, overwrite), overwrite, staged.sha256])

function jobOf(
  { settings, understanding }: Dependencies,
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

/** What became of the same upload when it was sent before: its job and its ingest had the id of that request. */
async function fateOf(
  dependencies: Dependencies,
  { accountId, mediaId }: IngestJob,
  requestId: Uuid,
): Promise<Fate<IngestAnswer>> {
  const { selected: fate } = await dependencies.streams.load(
    'media',
    mediaId,
    ({ claim, ended }) => ended.get(requestId) ?? (claim?.ingestId === requestId ? 'open' : 'untold'),
  )
  if (fate === 'released') return 'over'
  if (fate !== 'recorded') return fate
  const ingest = { accountId, mediaId, ingestId: requestId, jobId: requestId }
  const answer = await recordedAnswer(dependencies, ingest)
  return answer ? { answer } : 'over'
}

/** Conflict, then quota, then money: in that order, before anything is written. The deciders are the judges of races. */
async function refuseEarly(
  dependencies: Dependencies,
  quota: Quota,
  context: RequestContext,
  job: IngestJob,
): Promise<void> {
  if (!job.overwrite) await refuseDuplicate(dependencies, job)
  await refuseUnpayable(dependencies, quota, context, sum(job.price.map((line) => line.amount)))
}

/**
 * The saga. What was stored by another request in the meantime is named like any other duplicate; after any other failure
 * reads show the refund. An append may be reported as failed and succeed: an item that is recorded by then was paid for, and
 * is the answer.
 */
async function ingest(
  dependencies: Dependencies,
  context: RequestContext,
  job: IngestJob,
  signal?: AbortSignal,
): Promise<IngestAnswer> {
  try {
    return answerOf(context, await dependencies.orchestrator.ingest(job, signal))
  } catch (error) {
    // A duplicate is found before anything is charged.
    if (!(error instanceof DuplicateMedia)) {
      const fate = await unlessAway(fateOf(dependencies, job, job.requestId))
      if (typeof fate === 'object' && fate) return fate.answer
      await unlessAway(settleRefund(dependencies, job.accountId, job.jobId))
    } else {
      const { position } = await dependencies.streams.load('media', job.mediaId, () => null)
      await settleReads(dependencies, position, ['catalog'])
      await refuseDuplicate(dependencies, job)
    }
    throw error
  }
}

/** @throws DuplicateMedia where the account has the same content already */
async function refuseDuplicate(dependencies: Dependencies, { accountId, mediaId }: IngestJob): Promise<void> {
  const [item] = (await unlessAway(presentItems(dependencies, accountId, [mediaId]))) ?? []
  if (!item) return
  const { mediaType, collection } = item
  throw new DuplicateMedia({ media_id: typedMediaId(mediaType, mediaId), collection })
}
