import { Recent, type Uuid } from '@medialog/kernel'
import { requireAccountId } from '../core/ids.ts'
import type { Ports } from '../core/ports.ts'
import { Turns } from '../core/turns.ts'
import { type LedgerProof, proveLedger } from '../log-tree/proofs.ts'
import type { Auditing, LedgerQuery, ReplayedLedger } from './ledger.ts'
import { entriesOf, isCurrent, replayLedger, type Replayed } from './replay-ledger.ts'
import { type Statement, makeStatement, type Replay } from './statement.ts'

/** So many ledgers are remembered from one page to the next, for so long. */
const REMEMBERED = 32
const REMEMBERED_MS = 60_000

/** Whatever names an account @throws AccountNotFound, EngineUnavailable */
export interface LedgerQueries {
  /** The account's ledger, added up from its events alone, and the proof. */
  ledger(accountId: string, query: LedgerQuery): ReplayedLedger
  /** Of the current month unless one is named (`2026-11`). @throws InvalidInput, AccountNotYetOpen */
  statement(accountId: string, month?: string): Promise<Statement>
  /** The account's ledger as anybody can prove it, see proveLedger. */
  proveLedger(accountId: string, since?: number): Promise<LedgerProof | null>
}

export type AuditPorts = Auditing & Pick<Ports, 'clock' | 'logTree'>

/**
 * Ledgers, statements and proofs of any account. An account has one replay or download at a time: however often it asks,
 * it takes no more of the process than one does.
 */
export function ledgerQueries(ports: AuditPorts): LedgerQueries {
  const turns = new Turns<string>()
  const remembered = new Recent<string, Replayed & { at: number }>(REMEMBERED)

  async function* inTurn<Part, End>(
    accountId: Uuid,
    work: () => AsyncGenerator<Part, End, undefined>,
  ): AsyncGenerator<Part, End, undefined> {
    const end = await turns.take(accountId)
    try {
      return yield* work()
    } finally {
      end()
    }
  }

  const replay: Replay = (accountId, query, upTo) =>
    inTurn(accountId, () => replayLedger(ports, accountId, query, upTo))

  /** The first page replays the whole ledger; those after it only what they show, until something is posted. */
  async function* page(accountId: Uuid, query: LedgerQuery, { offset }: { offset: number }): ReplayedLedger {
    const key = `${accountId} ${query.from} ${query.until}`
    const at = ports.clock.now()
    const known = offset > 0 ? remembered.get(key) : undefined
    if (known && at - known.at < REMEMBERED_MS && (await isCurrent(ports, accountId, known))) {
      const entries = await entriesOf(ports, accountId, query, known)
      if (entries.length > 0) yield entries
      return known.report
    }
    return yield* replayLedger(ports, accountId, query, undefined, (replayed) =>
      remembered.set(key, { ...replayed, at }),
    )
  }

  return {
    async *ledger(accountId, query) {
      const id = requireAccountId(accountId)
      const { window } = query
      return yield* window ? inTurn(id, () => page(id, query, window)) : replay(id, query)
    },
    statement: async (accountId, month) => makeStatement(ports, replay, requireAccountId(accountId), month),
    async proveLedger(accountId, since) {
      const id = requireAccountId(accountId)
      const proof = await proveLedger(ports, id, since)
      return proof && { ...proof, events: () => inTurn(id, proof.events) }
    },
  }
}
