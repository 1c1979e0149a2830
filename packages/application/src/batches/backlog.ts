import type { Uuid } from '@medialog/kernel'
import type { Principal } from '../core/context.ts'
import { BacklogFull } from '../core/errors.ts'
import type { Ports } from '../core/ports.ts'
import { unlessAway } from '../core/unless-away.ts'
import type { OpenBatch } from '../ports/index.ts'
import { estimatedSeconds } from './batch-estimate.ts'

export type BacklogPorts = Pick<Ports, 'batches' | 'settings'> & {
  orchestrator: Pick<Ports['orchestrator'], 'batchJobsAtOnce'>
}

/** What is open besides is looked at again after so many bytes of a batch have arrived. */
const LOOK_AGAIN_BYTES = 8 * 1_048_576

/**
 * How much of each account waits to be worked on: batches and bytes of their staged files, by the read model and, as
 * long as it cannot show them, by what this process is making, or receiving. Processes that share a log may overshoot by that,
 * and each of them by what was made before while the read model is unavailable.
 */
export class Backlog {
  readonly #ports: BacklogPorts
  /** By account, in the order in which they came. */
  readonly #coming = new Map<Uuid, Map<Uuid, OpenBatch>>()
  /** Those whose files arrive, or have arrived and were not made into a batch yet. */
  readonly #arriving = new Map<Uuid, Set<OpenBatch>>()

  constructor(ports: BacklogPorts) {
    this.#ports = ports
  }

  /** Makes a batch that has room; `make` resolves once the read model shows it. @throws BacklogFull */
  async admit<T>(principal: Principal, batch: OpenBatch, make: () => Promise<T>): Promise<T> {
    const { accountId } = principal
    const coming = this.#coming.get(accountId) ?? new Map<Uuid, OpenBatch>()
    this.#coming.set(accountId, coming)
    // Only those before it: of two that come at once for the last room, one gets it.
    const before = [...coming.values()]
    coming.set(batch.batchId, batch)
    try {
      await this.#requireRoom(principal, batch, before)
      return await make()
    } finally {
      coming.delete(batch.batchId)
      if (coming.size === 0) this.#coming.delete(accountId)
    }
  }

  /**
   * Counts a batch's files while they arrive, duplicates too: they are staged before anybody knows that. `add` refuses what the
   * account has no room for beside what it has open; its only batch may have any size. @throws BacklogFull
   */
  receive({ accountId, tier }: Principal, batchId: Uuid): { add(bytes: number): Promise<void>; end(): void } {
    const own: OpenBatch = { batchId, jobs: 1, bytes: 0 }
    const arriving = this.#arriving.get(accountId) ?? new Set<OpenBatch>()
    this.#arriving.set(accountId, arriving.add(own))
    let open: OpenBatch[] | null = null
    let lookedAt = 0
    const others = (shown: OpenBatch[]): OpenBatch[] =>
      union(shown, this.#coming.get(accountId)?.values() ?? [], arriving).filter(
        (batch) => batch.batchId !== batchId,
      )
    const isTooMuch = (beside: OpenBatch[]): boolean =>
      beside.length > 0 && bytesOf(beside) + own.bytes > this.#ports.settings.batchBytes[tier]
    return {
      add: async (bytes) => {
        own.bytes += bytes
        if (open && own.bytes - lookedAt < LOOK_AGAIN_BYTES && !isTooMuch(others(open))) return
        open = await this.#shown(accountId)
        lookedAt = own.bytes
        const beside = others(open)
        if (isTooMuch(beside)) throw await this.#full({ accountId, tier }, beside)
      },
      end: () => {
        arriving.delete(own)
        if (arriving.size === 0) this.#arriving.delete(accountId)
      },
    }
  }

  async #requireRoom(
    { accountId, tier }: Principal,
    batch: OpenBatch,
    coming: readonly OpenBatch[],
  ): Promise<void> {
    const { settings } = this.#ports
    const open = union(await this.#shown(accountId), coming)
    // However low the limits are: one at a time gets through.
    if (open.length === 0) return
    const [mostBatches, mostBytes] = [settings.openBatches[tier], settings.batchBytes[tier]]
    if (open.length < mostBatches && bytesOf(open) + batch.bytes <= mostBytes) return
    throw await this.#full({ accountId, tier }, open)
  }

  async #shown(accountId: Uuid): Promise<OpenBatch[]> {
    return (await unlessAway(this.#ports.batches.open(accountId))) ?? []
  }

  async #full(
    { accountId, tier }: Pick<Principal, 'accountId' | 'tier'>,
    open: OpenBatch[],
  ): Promise<BacklogFull> {
    const { batches, settings, orchestrator } = this.#ports
    const next = Math.min(...open.map(({ jobs }) => jobs))
    const seconds = estimatedSeconds(
      next,
      await unlessAway(batches.meanJobMs(accountId)),
      orchestrator.batchJobsAtOnce,
    )
    return new BacklogFull(
      {
        open_batches: open.length,
        most_batches: settings.openBatches[tier],
        staged_bytes: bytesOf(open),
        most_bytes: settings.batchBytes[tier],
      },
      Math.max(1, seconds),
    )
  }
}

/** Each batch once, as the first of them has it. */
function union(...all: Iterable<OpenBatch>[]): OpenBatch[] {
  const found = new Map<Uuid, OpenBatch>()
  for (const batches of all)
    for (const batch of batches) if (!found.has(batch.batchId)) found.set(batch.batchId, batch)
  return [...found.values()]
}

const bytesOf = (batches: readonly OpenBatch[]): number => batches.reduce((sum, { bytes }) => sum + bytes, 0)
