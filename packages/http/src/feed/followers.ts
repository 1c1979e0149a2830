import type { Principal } from '@medialog/application'
import type { Tier } from '@medialog/domain'
import type { Uuid } from '@medialog/kernel'
import { Refusal } from '../answers/refusal.ts'

/** When the next try makes sense: a connection that broke off unnoticed is found within some seconds. */
const RETRY_AFTER_SECONDS = 10

/** How many feeds each account has open in this process. */
export class Followers {
  readonly #limits: Readonly<Record<Tier, number>>
  readonly #open = new Map<Uuid, number>()

  constructor(limits: Readonly<Record<Tier, number>>) {
    this.#limits = limits
  }

  /** Answers how to leave. @throws Refusal where the account has as many as its tier may */
  enter({ accountId, tier }: Principal): () => void {
    const open = this.#open.get(accountId) ?? 0
    const limit = this.#limits[tier]
    if (open >= limit)
      throw new Refusal(
        'RATE_LIMIT_EXCEEDED',
        `The account has ${open} event streams open already, and at most ${limit} at a time.`,
        { limit, open, retry_after_seconds: RETRY_AFTER_SECONDS },
        { 'Retry-After': String(RETRY_AFTER_SECONDS) },
      )
    this.#open.set(accountId, open + 1)
    return () => {
      const left = this.#open.get(accountId)! - 1
      if (left === 0) this.#open.delete(accountId)
      else this.#open.set(accountId, left)
    }
  }
}
