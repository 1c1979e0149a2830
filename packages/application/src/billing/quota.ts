import type { Tier } from '@medialog/domain'
import { Recent, type Uuid } from '@medialog/kernel'
import { QuotaExceeded } from '../core/errors.ts'
import type { Ports } from '../core/ports.ts'
import { unlessAway } from '../core/unless-away.ts'
import { EngineUnavailable } from '../ports/index.ts'

/** Of so many accounts what was last counted is remembered. */
const ACCOUNTS = 10_000

/**
 * How many vectors an account may store. While the catalog is unavailable, what this process counted last decides: an account
 * that was below its quota then may overshoot by what it stores until the catalog is back.
 */
export class Quota {
  readonly #ports: Pick<Ports, 'catalog' | 'settings'>
  readonly #counted = new Recent<Uuid, number>(ACCOUNTS)

  constructor(ports: Pick<Ports, 'catalog' | 'settings'>) {
    this.#ports = ports
  }

  /**
   * @throws QuotaExceeded once as many vectors are stored as the tier may hold, or the engine can search; EngineUnavailable where the catalog is
   *   away, and this process never counted them
   */
  async require(accountId: Uuid, tier: Tier): Promise<void> {
    const { catalog, settings } = this.#ports
    const stored = await unlessAway(catalog.storage(accountId))
    if (stored) this.#counted.set(accountId, stored.vectors)
    const vectors = stored?.vectors ?? this.#counted.get(accountId)
    if (vectors === undefined)
      throw new EngineUnavailable('catalog', 'What the account stores cannot be counted right now.')
    const limit = Math.min(settings.quotas[tier], settings.mostVectors)
    if (vectors >= limit) throw new QuotaExceeded(limit, vectors)
  }
}
