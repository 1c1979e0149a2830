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

/** Leave to make one call. To be ended once; what comes after changes nothing. */
export interface Lease {
  /** `tokens`: what it took; undefined: nobody said, so the most that it might have taken. */
  end(tokens: number | undefined): void
  fail(error: unknown, signal: AbortSignal | undefined): void
}

/** Whether a call may be made: by the circuit breaker, the turns of accounts and the budgets, in this order. */
export class Gate {
  readonly #budget: Budget
  readonly #breaker: CircuitBreakerPolicy
  readonly #turns: FairTurns
  #tokens = 0

  constructor({ budget, callsAtOnce, rest = REST }: GateOptions) {
    this.#budget = budget
    this.#turns = new FairTurns({ places: () => callsAtOnce })
    this.#breaker = circuitBreaker(
      handleWhen((error) => faultOf(error).counts),
      { breaker: new ConsecutiveBreaker(FAULTS), halfOpenAfter: new ExponentialBackoff(rest) },
    )
  }

  get state(): (typeof STATES)[CircuitState] {
    return STATES[this.#breaker.state]
  }

  /** Taken by all calls so far. */
  get tokens(): number {
    return this.#tokens
  }

  /** `tokens`: the most that the call may take. */
  async admit(tokens: number, { accountId = '', signal }: WorkOptions = {}): Promise<Lease> {
    const admitted = Promise.withResolvers<Lease>()
    const inTurn = async (): Promise<void> => {
      if (this.#turns.waiting >= QUEUE || this.#turns.waitingOf(accountId) >= QUEUE_OF_ONE)
        throw new TooManyCalls()
      const endTurn = await this.#turns.take(accountId, signal).catch(() => {
        throw new CallerLeft()
      })
      try {
        const correct = this.#budget.reserve(tokens, accountId)
        if (!correct) throw new BudgetSpent()
        const ended = Promise.withResolvers<void>()
        admitted.resolve(this.#lease(tokens, correct, ended))
        await ended.promise
      } finally {
        endTurn()
      }
    }
    this.#breaker.execute(inTurn).catch(admitted.reject)
    return admitted.promise
  }

  #lease(
    tokens: number,
    correct: (used: number) => void,
    ended: Pick<PromiseWithResolvers<void>, 'resolve' | 'reject'>,
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
      },
    }
  }
}
