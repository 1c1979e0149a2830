import { setTimeout as sleep } from 'node:timers/promises'
import { EngineUnavailable } from '@medialog/application/ports'
import { describeFailure, isTransient } from './failures.ts'
import type { Limits } from './limits.ts'

const FIRST_PAUSE_MS = 20
const LONGEST_PAUSE_MS = 500
const CLOSED = 'the event log was closed'

export interface AvailabilityOptions {
  name: string
  limits: Limits
  /** Asks the server something; resolves once it answers. */
  probe: () => Promise<unknown>
  onTrouble: (what: string, error: unknown) => void
}

/**
 * Whether the server is there. Work is tried again until patience is at its end; from then on all is refused at once,
 * until a probe comes through.
 */
export class Availability {
  #options: AvailabilityOptions
  #closing = new AbortController()
  #away: string | null = null
  #isChecking = false

  constructor(options: AvailabilityOptions) {
    this.#options = options
  }

  /** Why work is refused, or null. */
  get trouble(): string | null {
    return this.#away
  }

  /** @throws EngineUnavailable; whatever is no matter of trying again */
  async attempt<T>(work: () => Promise<T>): Promise<T> {
    if (this.#away !== null) throw unavailable(this.#away)
    const { signal } = this.#closing
    if (signal.aborted) throw unavailable(CLOSED)
    const end = performance.now() + this.#options.limits.patienceMs
    for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS)) {
      try {
        return await work()
      } catch (error) {
        if (!isTransient(error)) throw error
        if (signal.aborted) throw unavailable(CLOSED, error)
        if (this.#away === null && performance.now() + pauseMs > end) this.#lost(error)
        if (this.#away !== null) throw unavailable(this.#away, error)
      }
      await sleep(pauseMs, undefined, { signal }).catch(() => undefined)
    }
  }

  /** Something does not work as it should: looks whether the server is there. */
  suspect(): void {
    if (this.#isChecking) return
    this.#isChecking = true
    const checked = () => void (this.#isChecking = false)
    this.attempt(this.#options.probe).then(checked, checked)
  }

  close(): void {
    this.#closing.abort()
  }

  #lost(error: unknown): void {
    const { name, onTrouble } = this.#options
    this.#away = `EventStoreDB (${name}) is away: ${describeFailure(error)}`
    onTrouble(this.#away, error)
    void this.#untilBack()
  }

  async #untilBack(): Promise<void> {
    const { limits, probe } = this.#options
    const { signal } = this.#closing
    while (!signal.aborted)
      try {
        await sleep(limits.probeMs, undefined, { signal, ref: false })
        await probe()
        this.#away = null
        return
      } catch {
        // Still away.
      }
  }
}

const unavailable = (why: string, cause?: unknown): EngineUnavailable =>
  new EngineUnavailable('event log', why, { cause })
