import { NoAnswerInTime } from './failure.ts'

/** Ends what hangs: each wait on its own, so that a reader who takes their time is not the provider's fault. */
export class Deadline {
  /** Aborted when a wait took too long, or the caller went away. */
  readonly signal: AbortSignal
  readonly #timeoutMs: number
  readonly #late = new AbortController()

  constructor(timeoutMs: number, caller?: AbortSignal) {
    this.#timeoutMs = timeoutMs
    this.signal = caller ? AbortSignal.any([caller, this.#late.signal]) : this.#late.signal
  }

  /** @throws NoAnswerInTime, the caller's reason, and what `work` throws */
  async wait<T>(work: PromiseLike<T>): Promise<T> {
    const timer = setTimeout(() => this.end(new NoAnswerInTime(this.#timeoutMs / 1000)), this.#timeoutMs)
    const aborted = Promise.withResolvers<never>()
    const onAbort = (): void => aborted.reject(this.signal.reason)
    this.signal.addEventListener('abort', onAbort, { once: true })
    if (this.signal.aborted) onAbort()
    try {
      return await Promise.race([work, aborted.promise])
    } catch (error) {
      // Libraries have errors of their own for what a signal ended.
      this.signal.throwIfAborted()
      throw error
    } finally {
      clearTimeout(timer)
      this.signal.removeEventListener('abort', onAbort)
    }
  }

  /** Lets go of the connection, whatever it was doing. */
  end(reason: Error = new Error('no longer wanted')): void {
    this.#late.abort(reason)
  }
}
