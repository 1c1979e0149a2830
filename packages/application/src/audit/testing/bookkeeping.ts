import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { encodeEvent } from '@medialog/contract'
import {
  refundOfJob,
  type BatchCommand,
  type Cause,
  type ChargeLine,
  type LedgerEvent,
} from '@medialog/domain'
import { BEGINNING, isoTime, usd, type LogPosition, type Uuid } from '@medialog/kernel'
import { createHistory } from '@medialog/projections/testing/history'
import { createMemoryArtifacts } from '@medialog/projections/testing/memory-artifacts'
import { MemoryEventStore } from '@medialog/projections/testing/memory-event-store'
import { openRecords } from '@medialog/projections/testing/sqlite-projected'
import { usageModel, usageOf } from '@medialog/read-model/records/usage'
import { DEFAULT_PRICES } from '../../billing/prices.ts'
import { newId } from '../../core/ids.ts'
import type { Ports } from '../../core/ports.ts'
import { SYSTEM } from '../../event-sourcing/executing.ts'
import { createStreams } from '../../event-sourcing/streams.ts'
import type { LogTree } from '../../log-tree/log-tree.ts'
import type { AccountRecord } from '../../ports/index.ts'
import type { Auditing } from '../ledger.ts'

export const FILE: readonly ChargeLine[] = [
  { price: 'DOCUMENT_PROCESSING', amount: usd('0.03') },
  { price: 'VECTOR_PROCESSING', amount: usd('0.01') },
]
const times = (lines: readonly ChargeLine[], count: number): ChargeLine[] =>
  lines.map(({ price, amount }) => ({ price, amount: amount * BigInt(count) }))

/** An account's books in a log in memory, made by the deciders at times that the test sets, with a read model of usage. */
export async function openBooks() {
  const store = new MemoryEventStore()
  const usage = await openRecords(usageModel, usageOf)
  const accountId = newId()
  const clock = { time: Date.parse('2026-10-05T10:00:00Z'), now: () => clock.time }
  const streams = createStreams(store, clock)
  let applied: LogPosition = BEGINNING

  async function reached(): Promise<boolean> {
    const events = await all(store.readAll(applied))
    if (events.length > 0) await usage.apply(events)
    applied = events.at(-1)?.position ?? applied
    return true
  }

  const account = (): AccountRecord => ({
    accountId,
    name: 'Acme',
    tier: 'standard',
    status: 'active',
    openedAt: clock.time,
  })
  const ports = {
    eventStore: store,
    usage: usage.port,
    clock,
    accounts: {
      list: async ({ offset }) => ({ accounts: offset === 0 ? [account()] : [], total: 1 }),
      account: async (id) => (id === accountId ? account() : null),
    } as Partial<Ports['accounts']> as never,
    projections: { reached } as Partial<Ports['projections']> as Ports['projections'],
    logTree: {
      leaves: { ofStream: async () => [] } as Partial<LogTree['leaves']>,
      lastCheckpoint: async () => null,
    } as Partial<LogTree> as LogTree,
    settings: { prices: DEFAULT_PRICES, readYourWritesMs: 1 } as Ports['settings'],
  } satisfies Auditing & Partial<Ports>

  const ledger = (command: Parameters<typeof streams.execute<'ledger'>>[2]) =>
    streams.execute('ledger', accountId, command, { actor: 'key00001', accountId })
  const charge = (chargeId: Uuid, lines: ChargeLine[], cause: Cause) =>
    ledger({ type: 'Charge', chargeId, lines, cause, at: clock.time })
  const batchIs = (batchId: Uuid, command: BatchCommand) => streams.execute('batch', batchId, command, SYSTEM)
  const settle = (chargeId: Uuid) => ledger({ type: 'Settle', chargeId, at: clock.time })

  return {
    accountId,
    clock,
    store,
    ports,
    charge,
    settle,
    batchIs,

    /** The service's own past of the same account. */
    items: createHistory(store, createMemoryArtifacts()),

    async open(): Promise<void> {
      const command = { type: 'OpenAccount', accountId, name: 'Acme', tier: 'standard' } as const
      await streams.execute('account', accountId, { ...command, at: clock.time }, SYSTEM)
    },

    credit: (amount: string, reference: string | null = null) =>
      ledger({ type: 'Credit', creditId: newId(), amount: usd(amount), reference, at: clock.time }),

    refund: (refundId: string, chargeId: Uuid, lines: ChargeLine[], reason = 'not used') =>
      ledger({ type: 'Refund', refundId, chargeId, lines, reason, at: clock.time }),

    /** Charged, and settled unless it is left open. */
    async paid(operation: string, lines: ChargeLine[], cause: Partial<Cause> = {}): Promise<Uuid> {
      const chargeId = newId()
      await charge(chargeId, lines, { operation, requestId: chargeId, ...cause })
      await settle(chargeId)
      return chargeId
    },

    /** A batch of which so many files succeeded and so many failed, paid for, refunded and settled; others were there already. */
    async batch(
      succeeded: number,
      failed: number,
      duplicates = 0,
    ): Promise<{ batchId: Uuid; jobIds: Uuid[] }> {
      const batchId = newId()
      const at = clock.time
      const jobs = Array.from({ length: succeeded + failed + duplicates }, (_, number) => ({
        jobId: newId(),
        mediaId: newId(),
        stagedId: newId(),
        filename: `file-${number}.txt`,
        mediaType: 'document' as const,
        sizeBytes: 5,
        sha256: 'a'.repeat(64),
        duplicate: number >= succeeded + failed,
      }))
      const charged = jobs.filter(({ duplicate }) => !duplicate)
      const intent = { accountId, batchId, name: null, collection: null, overwrite: false, jobs, at }
      const on = (command: BatchCommand) => batchIs(batchId, command)
      await on({ type: 'SubmitBatch', ...intent, price: [...FILE] })
      await charge(batchId, times(FILE, charged.length), { operation: 'batch', requestId: batchId, batchId })
      await on({ type: 'CreateBatch', at })
      await on({ type: 'StartBatch', at })
      for (const [number, { jobId, mediaId }] of charged.entries()) {
        const outcome =
          number < succeeded
            ? ({ status: 'succeeded', mediaId, tookMs: 1 } as const)
            : ({ status: 'failed', code: 'corrupted_file', message: 'The file is damaged.' } as const)
        await on({ type: 'FinishJob', jobId, outcome, at })
        if (outcome.status === 'failed')
          await ledger({
            type: 'Refund',
            refundId: refundOfJob(jobId),
            chargeId: batchId,
            lines: [...FILE],
            reason: 'corrupted',
            at,
          })
      }
      await on({ type: 'EndBatch', at })
      await settle(batchId)
      return { batchId, jobIds: jobs.map(({ jobId }) => jobId) }
    },

    /** Written past the decider, as a fault of it would be. */
    async forge(event: LedgerEvent): Promise<void> {
      const stream = `ledger-${accountId}` as const
      const [last] = await all(store.read(stream, { direction: 'backwards', limit: 1 }))
      const metadata = { timestamp: isoTime(clock.time), actor: 'nobody', accountId }
      await store.append(stream, last?.revision ?? 'no-stream', [
        { id: newId(), ...encodeEvent(event), metadata },
      ])
    },

    /** Changes the file of the read model behind its back. */
    async plant(sql: string): Promise<void> {
      await reached()
      const [name] = readdirSync(usage.folder).filter((file) => /^records-\d+\.sqlite$/.test(file))
      const database = new DatabaseSync(join(usage.folder, name!), { timeout: 10_000 })
      database.exec(sql)
      database.close()
    },

    closeLedger: () => ledger({ type: 'CloseLedger', at: clock.time }),
    close: () => usage.close(),
  }
}

/** What it yields, in order. */
export async function all<T>(given: AsyncIterable<T>): Promise<T[]> {
  const taken: T[] = []
  for await (const one of given) taken.push(one)
  return taken
}
