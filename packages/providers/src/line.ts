import { setTimeout as sleep } from 'node:timers/promises'
import type { ProviderStatus, WorkOptions } from '@medialog/application/ports'
import type { Budget } from './budget.ts'
import { Deadline } from './deadline.ts'
import { faultOf, ProviderUnavailable, UnusableAnswer } from './failure.ts'
import { Gate, type Lease, type GateOptions } from './gate.ts'
import { nameOf, type ModelReference, type Use } from './settings.ts'

const FIRST_PAUSE_MS = 500
/** A provider that asks for a longer pause is not waited for. */
const LONGEST_PAUSE_MS = 20_000

export interface LineOptions extends GateOptions {
  use: Use
  reference: ModelReference
  budget: Budget
  timeoutMs: number
  retries: number
}

/** What a call came to, and how many tokens the provider says that it took. */
export interface Called<T> {
  value: T
  tokens: number | undefined
}

/** An answer in pieces; `tokens` is asked once they have ended. */
export interface Pieces {
  pieces(): AsyncIterable<string>
  tokens(): Promise<number | undefined>
}

/** A connection that answers, and how to let go of it. */
interface Running {
  lease: Lease
  deadline: Deadline
}

/**
 * The way to one model: every call of it is limited in time, number and tokens, repeated where that may help, and not
 * made at all while the provider keeps failing.
 */
export class ProviderLine {
  readonly model: string
  readonly #options: LineOptions
  readonly #gate: Gate
  readonly #calls = { succeeded: 0, failed: 0, refused: 0 }
  #trouble: string | null = null

  constructor(options: LineOptions) {
    this.#options = options
    this.model = nameOf(options.reference)
    this.#gate = new Gate(options)
  }

  status(): ProviderStatus {
    const { use, budget } = this.#options
    const { state, tokens } = this.#gate
    return {
      use,
      model: this.model,
      breaker: state,
      trouble: this.#trouble,
      tokensLeft: budget.left,
      calls: { ...this.#calls, tokens },
    }
  }

  /**
   * One whole answer. `tokens`: the most that it may take.
   * @throws ProviderUnavailable; the signal's reason
   */
  call<T>(
    tokens: number,
    work: (signal: AbortSignal) => Promise<Called<T>>,
    options: WorkOptions = {},
  ): Promise<T> {
    return this.#repeat(options.signal, () =>
      this.#begin(tokens, options, async ({ lease, deadline }) => {
        const called = await deadline.wait(work(deadline.signal))
        lease.end(called.tokens)
        this.#succeeded()
        return called.value
      }),
    )
  }

  /**
   * An answer piece by piece. What fails before the first piece is repeated like any call; later it is an error.
   * @throws as `call`
   */
  async *stream(
    tokens: number,
    open: (signal: AbortSignal) => Pieces,
    options: WorkOptions = {},
  ): AsyncGenerator<string> {
    const { signal } = options
    const { running, answer, iterator, first } = await this.#repeat(signal, () =>
      this.#begin(tokens, options, async (running) => {
        const answer = open(running.deadline.signal)
        const iterator = answer.pieces()[Symbol.asyncIterator]()
        const first = await running.deadline.wait(iterator.next())
        if (first.done) throw new UnusableAnswer('it is empty')
        return { running, answer, iterator, first }
      }),
    )
    const { lease, deadline } = running
    try {
      for (
        let piece: IteratorResult<string> = first;
        !piece.done;
        piece = await deadline.wait(iterator.next())
      )
        yield piece.value
      lease.end(await deadline.wait(answer.tokens()))
      this.#succeeded()
    } catch (error) {
      await lease.fail(error, signal)
      signal?.throwIfAborted()
      throw this.#failed(error)
    } finally {
      // Nothing where it has ended; else its reader has left.
      lease.end(undefined)
      deadline.end()
    }
  }

  /** One attempt: admitted, and let go of when it fails. */
  async #begin<T>(tokens: number, options: WorkOptions, work: (running: Running) => Promise<T>): Promise<T> {
    const { signal } = options
    const lease = await this.#gate.admit(tokens, options)
    const deadline = new Deadline(this.#options.timeoutMs, signal)
    try {
      return await work({ lease, deadline })
    } catch (error) {
      await lease.fail(error, signal)
      deadline.end()
      throw error
    }
  }

  async #repeat<T>(signal: AbortSignal | undefined, attempt: () => Promise<T>): Promise<T> {
    for (let retries = 0; ; retries++)
      try {
        signal?.throwIfAborted()
        return await attempt()
      } catch (error) {
        signal?.throwIfAborted()
        const { retryAfterMs } = faultOf(error)
        const pause = Math.max(retryAfterMs ?? 0, FIRST_PAUSE_MS * 2 ** retries)
        if (retryAfterMs === null || retries >= this.#options.retries || pause > LONGEST_PAUSE_MS)
          throw this.#failed(error)
        this.#calls.failed++
        await sleep(pause, undefined, signal && { signal }).catch(() => signal?.throwIfAborted())
      }
  }

  #succeeded(): void {
    this.#trouble = null
    this.#calls.succeeded++
  }

  #failed(error: unknown): ProviderUnavailable {
    const { message, retryAfterMs, made } = faultOf(error)
    if (made) this.#calls.failed++
    else this.#calls.refused++
    this.#trouble = message
    const seconds = Math.ceil((retryAfterMs ?? 0) / 1000)
    return new ProviderUnavailable(message, seconds > 0 ? { retryAfterSeconds: seconds } : {})
  }
}
