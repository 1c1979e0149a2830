import {
  bulkhead,
  circuitBreaker,
  CircuitState,
  ConsecutiveBreaker,
  ExponentialBackoff,
  handleWhen,
  type BulkheadPolicy,
  type CircuitBreakerPolicy,
} from 'cockatiel'
import type { Budget } from './budget.ts'
import { BudgetSpent, CallerLeft, faultOf, tokensTaken } from './failure.ts'

/** Faults in a row after which the provider is left alone. */
const FAULTS = 5
/** For so long at first, then twice as long each time. */
const REST = { initialDelay: 5_000, maxDelay: 120_000 }
/** Calls that wait for their turn; more are refused. */
const QUEUE = 256

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

/** Whether a call may be made: by the circuit breaker, the slots and the budget, in this order. */
export class Gate {
  readonly #budget: Budget
  readonly #breaker: CircuitBreakerPolicy
  readonly #slots: BulkheadPolicy
  #tokens = 0

  constructor({ budget, callsAtOnce, rest = REST }: GateOptions) {
    this.#budget = budget
    this.#slots = bulkhead(callsAtOnce, QUEUE)
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
  async admit(tokens: number, signal?: AbortSignal): Promise<Lease> {
    const admitted = Promise.withResolvers<Lease>()
    const work = async (): Promise<void> => {
      if (signal?.aborted) throw new CallerLeft()
      const correct = this.#budget.reserve(tokens)
      if (!correct) throw new BudgetSpent()
      const ended = Promise.withResolvers<void>()
      let isOver = false
      const over = (used: number): void => {
        if (isOver) return
        isOver = true
        correct(used)
        this.#tokens += used
      }
      admitted.resolve({
        end: (used) => {
          over(used ?? tokens)
          ended.resolve()
        },
        fail: (error, caller) => {
          over(tokensTaken(error) ?? tokens)
          ended.reject(caller?.aborted ? new CallerLeft() : error)
        },
      })
      await ended.promise
    }
    // Who waits may leave before it is their turn: it passes then, for `work` sees that they left.
    const leave = (): void => admitted.reject(new CallerLeft())
    signal?.addEventListener('abort', leave, { once: true })
    this.#breaker.execute(() => this.#slots.execute(work, signal)).catch(admitted.reject)
    try {
      return await admitted.promise
    } finally {
      signal?.removeEventListener('abort', leave)
    }
  }
}
