import { Recent, systemClock, type Clock } from '@medialog/kernel'
import type { KeptTokens } from './spent-tokens.ts'

const MINUTE_MS = 60_000
const MINUTES = 60
const ACCOUNTS = 10_000

/**
 * Tokens of the last sixty minutes, counted by the minute. What a call may take at most is reserved before it is made and
 * corrected after, so calls under way together cannot pass the limit. What was reserved is kept first: a call that a crash cut
 * off has taken all of it.
 */
export class Budget {
  readonly #limit: number | null
  readonly #limitOfOne: number | null
  /** Budgets of the accounts that were asked for last. A restart resets them. */
  readonly #accounts = new Recent<string, Budget>(ACCOUNTS)
  readonly #clock: Clock
  readonly #byMinute: Map<number, number>
  readonly #kept: KeptTokens | null

  /**
   * @param limit tokens in an hour; null: no limit
   * @param kept what was spent before, and where it is kept; null: nothing is
   * @param limitOfOne tokens in an hour of one account
   */
  constructor(
    limit: number | null,
    clock: Clock = systemClock,
    kept: KeptTokens | null = null,
    limitOfOne: number | null = null,
  ) {
    this.#limit = limit
    this.#limitOfOne = limitOfOne
    this.#clock = clock
    this.#kept = limit === null ? null : kept
    const minute = this.#minute()
    // A clock that was ahead must not hold the budget until it is there again.
    this.#byMinute = new Map((this.#kept?.read() ?? []).filter(([spentAt]) => spentAt <= minute))
  }

  /** Null: no limit. */
  get left(): number | null {
    return this.#limit === null ? null : Math.max(0, this.#limit - this.#spent())
  }

  /** False where fewer are left, in all or to the account; else to be called with what it really took. */
  reserve(tokens: number, account = ''): false | ((used: number) => void) {
    const left = this.left
    if (left !== null && tokens > left) return false
    const correctOwn = this.#budgetOf(account)?.reserve(tokens)
    if (correctOwn === false) return false
    const minute = this.#minute()
    this.#add(minute, tokens)
    return (used) => {
      correctOwn?.(used)
      this.#add(minute, used - tokens)
    }
  }

  /** Null where there is none: work for no account in particular is the operator's own. */
  #budgetOf(account: string): Budget | null {
    if (this.#limitOfOne === null || account === '') return null
    const budget = this.#accounts.get(account) ?? new Budget(this.#limitOfOne, this.#clock)
    this.#accounts.set(account, budget)
    return budget
  }

  #add(minute: number, tokens: number): void {
    this.#byMinute.set(minute, (this.#byMinute.get(minute) ?? 0) + tokens)
    this.#kept?.write([...this.#byMinute])
  }

  #spent(): number {
    const first = this.#minute() - MINUTES
    let spent = 0
    for (const [minute, tokens] of this.#byMinute)
      if (minute <= first) this.#byMinute.delete(minute)
      else spent += tokens
    return spent
  }

  #minute(): number {
    return Math.floor(this.#clock.now() / MINUTE_MS)
  }
}
