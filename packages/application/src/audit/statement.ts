import { decodeRecorded } from '@medialog/contract'
import { AccountNotFound, ledgerMonth } from '@medialog/domain'
import type { Revision, Uuid } from '@medialog/kernel'
import { AccountNotYetOpen, InvalidInput } from '../core/errors.ts'
import type { Ports } from '../core/ports.ts'
import { unlessAway } from '../core/unless-away.ts'
import { streamName } from '../event-sourcing/streams.ts'
import { coveringNote } from '../log-tree/proofs.ts'
import { ERASED_ACCOUNT_NAME } from '../ports/index.ts'
import type { LedgerQuery, LedgerReport, ReplayedLedger } from './ledger.ts'
import { UNDER_WAY_MS } from './ledger-run.ts'

/** As `replayLedger` has it. */
export type Replay = (accountId: Uuid, query: LedgerQuery, upTo?: Revision | null) => ReplayedLedger

/** A month of an account as it is handed out. Times are milliseconds since the epoch. */
export interface Statement {
  accountId: Uuid
  name: string
  /** `2026-11`, UTC. */
  month: string
  /** `[from, until)`: of a month that is not over, up to when it was made. */
  from: number
  until: number
  madeAt: number
  /** Whether nothing can be posted in the month any more. */
  final: boolean
  /** With the proof of the whole history up to the end of the month. */
  report: LedgerReport
  /** The note of a signed checkpoint that covers its last event; null without one, or where it cannot be read. */
  checkpoint: string | null
  /** Its postings, in order. */
  postings: () => ReplayedLedger
}

/**
 * The statement of a month; of the current one unless it is named.
 * @throws AccountNotFound, AccountNotYetOpen; InvalidInput for a month that has not begun; EngineUnavailable
 */
export async function makeStatement(
  ports: Pick<Ports, 'eventStore' | 'clock' | 'logTree'>,
  replay: Replay,
  accountId: Uuid,
  named?: string,
): Promise<Statement> {
  const madeAt = ports.clock.now()
  const month = named ?? ledgerMonth(madeAt)
  const { from, until: end } = monthRange(month)
  if (from > madeAt)
    throw new InvalidInput('VALIDATION_ERROR', `month ${month} has not begun`, {
      parameter: 'month',
      reason: 'has not begun',
    })
  const { name, openedAt } = await openedAccount(ports, accountId)
  if (end <= openedAt) throw new AccountNotYetOpen(openedAt, end - 1)
  const range = { from, until: Math.min(end, madeAt + 1) }
  const report = await reportOf(replay(accountId, { ...range, window: { offset: 0, limit: 0 } }))
  return {
    accountId,
    name,
    month,
    ...range,
    madeAt,
    final: report.isClosed || (end <= madeAt && (report.isOver || madeAt - end >= UNDER_WAY_MS)),
    report,
    checkpoint:
      report.revision === null
        ? null
        : await unlessAway(coveringNote(ports.logTree, streamName('ledger', accountId), report.revision)),
    postings: () => replay(accountId, range, report.revision),
  }
}

/** `[from, until)` of a month like `2026-11`, in UTC. */
export function monthRange(month: string): { from: number; until: number } {
  const [year, number] = month.split('-').map(Number) as [number, number]
  return { from: Date.UTC(year, number - 1), until: Date.UTC(year, number) }
}

/** What a replay comes to, whatever it shows on the way. */
export async function reportOf(replayed: ReplayedLedger): Promise<LedgerReport> {
  for (;;) {
    const { done, value } = await replayed.next()
    if (done) return value
  }
}

async function openedAccount(
  { eventStore }: Pick<Ports, 'eventStore'>,
  accountId: Uuid,
): Promise<{ name: string; openedAt: number }> {
  for await (const recorded of eventStore.read(streamName('account', accountId), { limit: 1 })) {
    const event = decodeRecorded(recorded)
    if (event.type === 'AccountOpened') return { name: event.name, openedAt: event.at }
    if (event.type === 'AccountErased') return { name: ERASED_ACCOUNT_NAME, openedAt: event.openedAt }
  }
  throw new AccountNotFound()
}
