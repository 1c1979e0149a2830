import {
  EngineUnavailable,
  InvalidApiKey,
  type Application,
  type FollowedEvents,
  type Principal,
} from '@medialog/application'
import type { EndReason } from './feed-end.ts'

/** Keys expire, and grace ends, without an event. */
const ASKED_EVERY_MS = 10_000

/** Whether a feed may go on: asked whenever something happened to its account or a key, and every ten seconds. */
export class StillWelcome {
  readonly #application: Pick<Application, 'accounts' | 'status'>
  readonly #apiKey: string | undefined
  readonly #wasActive: boolean
  #askedAt = performance.now()

  constructor(
    application: Pick<Application, 'accounts' | 'status'>,
    apiKey: string | undefined,
    { status }: Principal,
  ) {
    this.#application = application
    this.#apiKey = apiKey
    this.#wasActive = status === 'active'
  }

  /** Why it is over; null: it goes on. */
  async over({ accountChangedAt }: FollowedEvents): Promise<EndReason | null> {
    const now = performance.now()
    if (accountChangedAt === null && now - this.#askedAt < ASKED_EVERY_MS) return null
    this.#askedAt = now
    try {
      if (accountChangedAt !== null) await this.#application.status.reached(accountChangedAt)
      const { status } = await this.#application.accounts.authenticate(this.#apiKey)
      return this.#wasActive && status === 'suspended' ? 'account_suspended' : null
    } catch (error) {
      if (error instanceof InvalidApiKey) return 'key_not_valid'
      // Not known right now: checked again with the next.
      if (error instanceof EngineUnavailable) return null
      throw error
    }
  }
}
