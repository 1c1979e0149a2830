import {
  InvalidInput,
  type Application,
  type EventProofs,
  type LedgerProof,
  type LedgerQuery,
} from '@medialog/application'
import type { RecordedEvent } from '@medialog/kernel'
import { requireKnown } from './fake-accounts.ts'
import { fakeLedger, fakeStatement } from './fake-ledger.ts'
import { ACCOUNT } from './fixtures.ts'

const CHECKPOINT = { size: 12, root: 'cd'.repeat(32), note: 'medialog/a\n12\n…', key: 'medialog/a+id+key' }

/** `replays` takes down which ledgers were asked for. */
export const fakeAudit = (replays: LedgerQuery[]): Application['audit'] => ({
  async *ledger(accountId, query) {
    requireKnown(accountId)
    return yield* fakeLedger(query, replays)
  },
  async statement(accountId, month) {
    requireKnown(accountId)
    return fakeStatement(month)
  },
  proveLedger: async (accountId, since) => ledgerProof(accountId, since),
  proveOwnEvents: async (_context, subject) => eventProofs(subject),
  proveEvents: async (_context, subject) => eventProofs(subject),
  async proveConsistency(from, to) {
    if (from > to) throw new InvalidInput('VALIDATION_ERROR', 'from is larger than to.', {})
    return ['aGFzaA==']
  },
  checkpoint: async () => CHECKPOINT,
  checkpointKeys: async () => ({ current: CHECKPOINT.key, former: [], handovers: [] }),
})

const RECORDED: Omit<RecordedEvent, 'stream' | 'revision'> = {
  id: ACCOUNT,
  type: 'BalanceCredited',
  version: 1,
  data: {},
  metadata: { timestamp: '2026-11-20T00:00:00.000Z', actor: 'operator' },
  position: 7,
  prev: 'cd'.repeat(32),
  hash: 'ab'.repeat(32),
}

const PLACE = (revision: number) => ({
  index: 4,
  leaf: { position: 7, stream: `ledger-${ACCOUNT}` as const, revision, hash: 'ab'.repeat(32) },
  hashes: ['aGFzaA=='],
})

const eventProofs = (subject: string): EventProofs | null =>
  subject === '7'
    ? { checkpoint: CHECKPOINT.note, key: CHECKPOINT.key, proofs: [{ ...PLACE(0), event: null }] }
    : null

function ledgerProof(accountId: string, since?: number): LedgerProof | null {
  if (accountId !== ACCOUNT) return null
  const { note: checkpoint, key, size } = CHECKPOINT
  const head = PLACE(1)
  const { stream } = head.leaf
  return {
    accountId,
    stream,
    checkpoint,
    key,
    size,
    head,
    consistency: since === undefined ? null : { from: since, hashes: head.hashes },
    async *events() {
      for (const revision of [0, 1]) yield { ...RECORDED, stream, revision }
    },
  }
}
