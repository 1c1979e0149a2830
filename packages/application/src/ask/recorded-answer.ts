import { DEFAULT_COLLECTION } from '@medialog/domain'
import type { Money, Uuid } from '@medialog/kernel'
import type { Ports } from '../core/ports.ts'
import type { Streams } from '../event-sourcing/streams.ts'
import type { IngestAnswer } from '../ingest/ingest-answer.ts'
import { recordedIngest } from '../ingest/recorded-ingest.ts'
import type { IngestRef } from '../ports/index.ts'

/** The answer to an upload that no client received, as far as it is known now: balances are today's. Null where it was erased. */
export async function recordedAnswer(
  { eventStore, catalog, streams }: Pick<Ports, 'eventStore' | 'catalog' | 'streams'>,
  { accountId, mediaId, ingestId, jobId }: IngestRef & { jobId: Uuid },
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
