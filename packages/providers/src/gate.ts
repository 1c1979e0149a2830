import type { WorkOptions } from '@medialog/application/ports'
import { FairTurns } from '@medialog/kernel'
import {
  circuitBreaker,
  CircuitState,
  ConsecutiveBreaker,
  ExponentialBackoff,
  handleWhen,
  type CircuitBreakerPolicy,
} from 'cockatiel'
import type { Budget } from './budget.ts'
import { BudgetSpent, CallerLeft, faultOf, tokensTaken, TooManyCalls } from './failure.ts'

/** Faults in a row after which the provider is left alone. */
const FAULTS = 5
/** For so long at first, then twice as long each time. */
const REST = { initialDelay: 5_000, maxDelay: 120_000 }
/** Accounts whose own circuit breakers are remembered; beyond it those that are closed go, or else the oldest. */
const MOST_BREAKERS = 1_000
/** Calls that wait for their turn, of all accounts and of one; more are refused. */
const QUEUE = 256
const QUEUE_OF_ONE = 128

const STATES = {
  [CircuitState.Closed]: 'closed',
  [CircuitState.HalfOpen]: 'half-open',
  [CircuitState.Open]: 'open',
  [CircuitState.Isolated]: 'open',
} as const

export interface GateOptions {
  budget: Budget
  callsAtOnce: number
  /** How long the provider is left alone, in milliseconds. */
  rest?: typeof REST
}

/** A fault of the provider's, in a call of this account. */
class FaultOf extends Error {
  readonly accountId: string

  constructor(accountId: string, cause: unknown) {
    super('a call failed', { cause })
    this.accountId = accountId
  }
}

/** Leave to make one call. To be ended once; what comes after changes nothing. */
export interface Lease {
  /** `tokens`: what it took; undefined: nobody said, so the most that it might have taken. */
  end(tokens: number | undefined): void
  /** Resolves once the breakers have counted it. */
  fail(error: unknown, signal: AbortSignal | undefined): Promise<void>
}

/** Whether a call may be made: by the circuit breakers, the turns of accounts and the budgets, in this order. */
export class Gate {
  readonly #budget: Budget
  readonly #rest: typeof REST
  /** Of everybody: faults in a row of one account count as one, so that none closes the provider to others. */
  readonly #breaker: CircuitBreakerPolicy
  /** Of each account. */
  readonly #own = new Map<string, CircuitBreakerPolicy>()
  readonly #turns: FairTurns
  #lastFaultOf: string | null = null
  #tokens = 0

  constructor({ budget, callsAtOnce, rest = REST }: GateOptions) {
    this.#budget = budget
    this.#rest = rest
    this.#turns = new FairTurns({ places: () => callsAtOnce })
    this.#breaker = this.#newBreaker(
      (error) => error instanceof FaultOf && this.#isOfAnother(error.accountId),
    )
  }

  /** The worst of all breakers: one that is open for an account alone is open. */
  get state(): (typeof STATES)[CircuitState] {
    const states = [this.#breaker, ...this.#own.values()].map(({ state }) => STATES[state])
    return (['open', 'half-open'] as const).find((state) => states.includes(state)) ?? 'closed'
  }

  /** Taken by all calls so far. */
  get tokens(): number {
    return this.#tokens
  }

  /** `tokens`: the most that the call may take. */
  async admit(tokens: number, { accountId = '', signal, isBackground }: WorkOptions = {}): Promise<Lease> {
    const admitted = Promise.withResolvers<Lease>()
    const inTurn = async (): Promise<void> => {
      if (this.#turns.waiting >= QUEUE || this.#turns.waitingOf(accountId) >= QUEUE_OF_ONE)
        throw new TooManyCalls()
      const endTurn = await this.#turns.take(accountId, { signal, isBackground }).catch(() => {
        throw new CallerLeft()
      })
      try {
        const correct = this.#budget.reserve(tokens, accountId)
        if (!correct) throw new BudgetSpent()
        const ended = Promise.withResolvers<void>()
        admitted.resolve(this.#lease(tokens, correct, ended, () => counted))
        await ended.promise
      } finally {
        endTurn()
      }
    }
    const ofAccount = (): Promise<void> =>
      inTurn().catch((error: unknown) => {
        throw faultOf(error).counts ? new FaultOf(accountId, error) : error
      })
    const counted = this.#ownOf(accountId)
      .execute(() => this.#breaker.execute(ofAccount))
      .catch((error: unknown) => admitted.reject(error instanceof FaultOf ? error.cause : error))
    return admitted.promise
  }

  #newBreaker(counts: (error: unknown) => boolean): CircuitBreakerPolicy {
    return circuitBreaker(handleWhen(counts), {
      breaker: new ConsecutiveBreaker(FAULTS),
      halfOpenAfter: new ExponentialBackoff(this.#rest),
    })
  }

  #ownOf(accountId: string): CircuitBreakerPolicy {
    const known = this.#own.get(accountId)
    if (known) return known
    if (this.#own.size >= MOST_BREAKERS) {
      const closed = [...this.#own].filter(([, { state }]) => state === CircuitState.Closed)
      for (const [account] of closed.length > 0 ? closed : [...this.#own].slice(0, 1))
        this.#own.delete(account)
    }
    const made = this.#newBreaker((error) => error instanceof FaultOf)
    this.#own.set(accountId, made)
    return made
  }

  #isOfAnother(accountId: string): boolean {
    const isAnother = this.#lastFaultOf !== accountId
    this.#lastFaultOf = accountId
    return isAnother
  }

  #lease(
    tokens: number,
    correct: (used: number) => void,
    ended: Pick<PromiseWithResolvers<void>, 'resolve' | 'reject'>,
    counted: () => Promise<void>,
  ): Lease {
    let isOver = false
    const over = (used: number): void => {
      if (isOver) return
      isOver = true
      correct(used)
      this.#tokens += used
    }
    return {
      end: (used) => {
        over(used ?? tokens)
        ended.resolve()
      },
      fail: (error, caller) => {
        over(tokensTaken(error) ?? tokens)
        ended.reject(caller?.aborted ? new CallerLeft() : error)
        return counted()
      },
    }
  }
}
