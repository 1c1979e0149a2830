import { DuplicateMedia, InsufficientFunds } from '@medialog/domain'
import { sum } from '@medialog/kernel'
import type { UploadedMedia, UploadMedia } from '../application.ts'
import type { RequestContext } from '../context.ts'
import type { Dependencies } from '../dependencies.ts'
import { AccountSuspended, QuotaExceeded } from '../errors.ts'
import { mediaIdOf, requestStreamOf } from '../ids.ts'
import { once } from '../idempotency.ts'
import { originOf } from '../origin.ts'
import { ingestPrice } from '../prices.ts'
import type { IngestJob, IngestOutcome } from '../ports/index.ts'
import { readIngest } from '../queries/read-ingest.ts'
import { settleReads } from '../read-your-writes.ts'

/**
 * Ingests one staged file: the refusals that need no log entry first, then the saga. The job carries the request's own
 * id, so that what a crash leaves open is found from either.
 */
export async function uploadMedia(
  dependencies: Dependencies,
  context: RequestContext,
  command: UploadMedia,
): Promise<UploadedMedia> {
  const { staging } = dependencies
  try {
    const job = jobOf(dependencies, context, command)
    const { answer, replayed } = await once(dependencies, {
      accountId: job.accountId,
      requestId: job.requestId,
      origin: originOf(context),
      stream: job.requestStream,
      fingerprint: ['upload', job.staged.sha256, job.collection ?? '', job.overwrite].join(' '),
      work: async () => {
        await refuseEarly(dependencies, context, job)
        return answerOf(context, await dependencies.orchestrator.ingest(job))
      },
    })
    await settleReads(dependencies, answer.position)
    return { ...(await readIngest(dependencies, job.accountId, answer)), replayed }
  } finally {
    await staging.release(command.staged.id)
  }
}

function jobOf(
  { settings, understanding }: Dependencies,
  context: RequestContext,
  command: UploadMedia,
): IngestJob {
  const { principal, requestId, correlationId, traceparent } = context
  const { staged, filename, collection, overwrite, idempotencyKey } = command
  const { accountId } = principal
  return {
    accountId,
    actor: principal.keyId,
    requestId,
    correlationId,
    traceparent,
    jobId: requestId,
    requestStream: idempotencyKey === undefined ? null : requestStreamOf(accountId, idempotencyKey),
    batchId: null,
    mediaId: mediaIdOf(accountId, staged.sha256),
    staged,
    filename,
    format: understanding.identify(filename, staged.head),
    collection,
    overwrite,
    price: ingestPrice(settings.prices),
  }
}

/** Conflict, then quota, then money: in that order, before anything is written. The deciders are the judges of races. */
async function refuseEarly(
  dependencies: Dependencies,
  context: RequestContext,
  job: IngestJob,
): Promise<void> {
  const { catalog, streams, settings } = dependencies
  const { accountId, mediaId } = job
  if (!job.overwrite && (await catalog.item(accountId, mediaId))) throw new DuplicateMedia()
  if (context.principal.status === 'suspended') throw new AccountSuspended()
  const quota = settings.quotas[context.principal.tier]
  const { vectors } = await catalog.storage(accountId)
  if (vectors >= quota) throw new QuotaExceeded(quota, vectors)
  const cost = sum(job.price.map((line) => line.amount))
  const { selected: balance } = await streams.load('ledger', accountId, (ledger) => ledger.balance)
  if (balance < cost) throw new InsufficientFunds(cost, balance)
}

/** What a replay is made from: ids, times and amounts, nothing that erasing would have to find. */
export interface IngestAnswer {
  [key: string]: string | number
  requestId: string
  mediaId: string
  ingestId: string
  collection: string
  startedAt: number
  completedAt: number
  previousBalance: string
  cost: string
  newBalance: string
  position: number
}

export function answerOf(context: Pick<RequestContext, 'requestId'>, outcome: IngestOutcome): IngestAnswer {
  return {
    requestId: context.requestId,
    ...outcome,
    previousBalance: outcome.previousBalance.toString(),
    cost: outcome.cost.toString(),
    newBalance: outcome.newBalance.toString(),
  }
}
