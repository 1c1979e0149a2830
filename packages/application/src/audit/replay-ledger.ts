import { AccountNotFound } from '@medialog/domain'
import type { RecordedEvent, Revision, StreamName, Uuid } from '@medialog/kernel'
import { streamName } from '../event-sourcing/streams.ts'
import { LedgerRun } from './ledger-run.ts'
import type { Auditing, LedgerQuery, ReplayedLedger } from './ledger.ts'

/** Postings that are held in memory. */
const PAGE = 256

/**
 * Adds an account's ledger up from its events alone, up to where it stands now, in pages of flat memory. What a posting
 * says of files comes from the streams of batches and items; the read model is looked at only to be compared.
 * `upTo`: no further than that revision, without comparing, for another walk over what was proven.
 * @throws AccountNotFound, EngineUnavailable
 */
export async function* replayLedger(
  dependencies: Auditing,
  accountId: Uuid,
  query: LedgerQuery,
  upTo?: Revision | null,
): ReplayedLedger {
  const { eventStore } = dependencies
  const stream = streamName('ledger', accountId)
  const last = await lastEvent(eventStore, stream)
  if (!last && !(await lastEvent(eventStore, streamName('account', accountId)))) throw new AccountNotFound()
  const run = new LedgerRun(dependencies, accountId, query)
  if (upTo === undefined) await run.compareWith(last?.position ?? 0)
  const end = upTo === undefined ? last?.revision : upTo
  if (end !== undefined && end !== null)
    for await (const recorded of eventStore.read(stream)) {
      if (recorded.revision > end || !run.take(recorded)) break
      if (run.waiting < PAGE) continue
      const entries = await run.flush()
      if (entries.length > 0) yield entries
    }
  const entries = await run.flush()
  if (entries.length > 0) yield entries
  return run.report()
}

async function lastEvent(
  eventStore: Auditing['eventStore'],
  stream: StreamName,
): Promise<RecordedEvent | null> {
  for await (const event of eventStore.read(stream, { direction: 'backwards', limit: 1 })) return event
  return null
}
