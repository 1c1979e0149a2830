import { recordedIngest, type IngestAnswer, type Streams } from '@medialog/application'
import { DEFAULT_COLLECTION } from '@medialog/domain'
import type { Money, Uuid } from '@medialog/kernel'
import type { IngestPorts } from './ports.ts'
import type { JobRef, Steps } from './steps.ts'

/**
 * Ends a single upload's job by what its item's stream says. Recorded: the request is completed and the charge settled. Not: the claim
 * is released first and the charge refunded after, so that what was refunded can never appear. May be run again.
 */
export async function endJob(
  ports: IngestPorts,
  steps: Steps,
  job: JobRef,
  reason: string,
): Promise<'settled' | 'refunded'> {
  if ((await steps.release(job, reason)) === 'recorded') {
    const answer = job.requestStream && (await answerFromLog(ports, job))
    if (answer) await steps.complete(job, answer)
    await steps.settle(job)
    return 'settled'
  }
  await steps.refund(job, reason)
  await steps.discard(job)
  return 'refunded'
}

/** The answer that a crash cut off, as far as it can be said now: balances are today's. Null where it was erased. */
async function answerFromLog(
  { catalog, streams, eventStore }: IngestPorts,
  { accountId, mediaId, jobId, ingestId }: JobRef,
): Promise<IngestAnswer | null> {
  const recorded = await recordedIngest(eventStore, mediaId, ingestId)
  if (!recorded) return null
  const { record, place, claimedAt, position } = recorded
  const item = place ? null : await catalog.item(accountId, mediaId)
  const { balance, cost } = await balanceAfter(streams, accountId, jobId)
  return {
    requestId: jobId,
    mediaId,
    ingestId,
    collection: place?.collection ?? item?.collection ?? DEFAULT_COLLECTION,
    startedAt: claimedAt ?? record.at,
    completedAt: record.at,
    previousBalance: (balance + cost).toString(),
    cost: cost.toString(),
    newBalance: balance.toString(),
    position,
  }
}

async function balanceAfter(
  streams: Streams,
  accountId: Uuid,
  chargeId: string,
): Promise<{ balance: Money; cost: Money }> {
  const { selected } = await streams.load('ledger', accountId, (ledger) => ({
    balance: ledger.balance,
    cost: ledger.charges.get(chargeId)?.amount ?? 0n,
  }))
  return selected
}
