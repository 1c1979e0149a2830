import { AccountNotFound, LedgerReplay } from '@medialog/domain'
import type { Revision, Uuid } from '@medialog/kernel'
import { lastEvent, streamName } from '../event-sourcing/streams.ts'
import { LedgerRun, type Start } from './ledger-run.ts'
import type { Auditing, LedgerEntry, LedgerQuery, LedgerReport, ReplayedLedger } from './ledger.ts'

/** Postings that are held in memory. */
const PAGE = 256

/**
 * Adds an account's ledger up from its events alone, up to where it stands now, in pages of flat memory. What a posting
 * says of files comes from the streams of batches and items; the read model is looked at only to be compared.
 * `upTo`: no further than that revision, without comparing, for another walk over what was proven.
 * `onEnd` hears where pages of the same ledger can begin. @throws AccountNotFound, EngineUnavailable
 */
export async function* replayLedger(
  ports: Auditing,
  accountId: Uuid,
  query: LedgerQuery,
  upTo?: Revision | null,
  onEnd: (replayed: Replayed) => void = () => undefined,
): ReplayedLedger {
  const { eventStore } = ports
  const stream = streamName('ledger', accountId)
  const last = await lastEvent(eventStore, stream)
  if (!last && !(await lastEvent(eventStore, streamName('account', accountId)))) throw new AccountNotFound()
  const run = new LedgerRun(ports, accountId, query)
  if (upTo === undefined) await run.compareWith(last?.position ?? 0)
  const end = upTo === undefined ? last?.revision : upTo
  if (end !== undefined && end !== null)
    for await (const recorded of eventStore.read(stream)) {
      if (recorded.revision > end || !run.take(recorded)) break
      if (run.waiting < PAGE) continue
      const entries = await run.flush()
      if (entries.length > 0) yield entries
    }
  run.end()
  const entries = await run.flush()
  if (entries.length > 0) yield entries
  const report = await run.report()
  onEnd({ report, starts: run.starts, lastHash: last?.hash ?? null })
  return report
}

/** What a replay leaves for pages of the same ledger. */
export interface Replayed {
  report: LedgerReport
  starts: readonly Start[]
  /** Of the last event that there was. */
  lastHash: string | null
}

/** Whether another replay for the same query would come to the same. */
export async function isCurrent(
  { eventStore }: Pick<Auditing, 'eventStore'>,
  accountId: Uuid,
  { report, lastHash }: Replayed,
): Promise<boolean> {
  if (report.isOver) return true
  return ((await lastEvent(eventStore, streamName('ledger', accountId)))?.hash ?? null) === lastHash
}

/** The page of a ledger that was replayed for the same query: reads no more than a thousand postings before it. */
export async function entriesOf(
  ports: Auditing,
  accountId: Uuid,
  query: LedgerQuery,
  { report, starts }: Replayed,
): Promise<LedgerEntry[]> {
  const { offset, limit } = query.window!
  if (report.revision === null || offset >= report.shown) return []
  const beginning = { revision: 0, shown: 0, replay: new LedgerReplay() }
  const start = starts.findLast(({ shown }) => shown <= offset) ?? beginning
  const run = new LedgerRun(ports, accountId, query, start)
  for await (const recorded of ports.eventStore.read(streamName('ledger', accountId), {
    from: start.revision,
  }))
    if (recorded.revision > report.revision || run.shown >= offset + limit || !run.take(recorded)) break
  run.end()
  return run.flush()
}
