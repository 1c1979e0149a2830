import type { Uuid } from '@medialog/kernel'
import { estimatedSeconds } from '../batch-estimate.ts'
import type { Principal } from '../context.ts'
import type { Dependencies } from '../dependencies.ts'
import { BacklogFull } from '../errors.ts'
import type { OpenBatch } from '../ports/index.ts'
import { unlessAway } from '../unless-away.ts'

type BacklogPorts = Pick<Dependencies, 'batches' | 'settings'> & {
  orchestrator: Pick<Dependencies['orchestrator'], 'batchJobsAtOnce'>
}

/**
 * How much of each account waits to be worked on: batches and bytes of their staged files, by the read model and, as
 * long as it cannot show them, by what this process is making. Processes that share a log may overshoot by that, and each
 * of them by what was made before while the read model is away.
 */
export class Backlog {
  readonly #ports: BacklogPorts
  /** By account, in the order in which they came. */
  readonly #coming = new Map<Uuid, Map<Uuid, OpenBatch>>()

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

  async #requireRoom(
    { accountId, tier }: Principal,
    batch: OpenBatch,
    coming: readonly OpenBatch[],
  ): Promise<void> {
    const { batches, settings, orchestrator } = this.#ports
    const shown = (await unlessAway(batches.open(accountId))) ?? []
    const known = new Set(shown.map(({ batchId }) => batchId))
    const open = [...shown, ...coming.filter(({ batchId }) => !known.has(batchId))]
    // However low the limits are: one at a time gets through.
    if (open.length === 0) return
    const [mostBatches, mostBytes] = [settings.openBatches[tier], settings.batchBytes[tier]]
    const bytes = open.reduce((sum, { bytes }) => sum + bytes, 0)
    if (open.length < mostBatches && bytes + batch.bytes <= mostBytes) return
    const next = Math.min(...open.map(({ jobs }) => jobs))
    const seconds = estimatedSeconds(
      next,
      await unlessAway(batches.meanJobMs(accountId)),
      orchestrator.batchJobsAtOnce,
    )
    throw new BacklogFull(
      { open_batches: open.length, most_batches: mostBatches, staged_bytes: bytes, most_bytes: mostBytes },
      Math.max(1, seconds),
    )
  }
}
