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
  /** Whether the connection is the one of the last call, and was not lost since. */
  isSteady: () => Promise<boolean>
  /** Why the server's log is not the one that was seen, for people, or null. */
  contradiction: () => Promise<string | null>
  onTrouble: (what: string, error: unknown) => void
}

/**
 * Whether the server is there, with the log that was seen. Work is tried again until its patience has passed; from then on
 * all is refused at once, until a probe comes through. After each loss of the connection the log is compared first.
 */
export class Availability {
  #options: AvailabilityOptions
  #closing = new AbortController()
  #away: string | null = null
  #isChecking = false
  /** Whether the log was compared since the connection was lost last. */
  #isCompared = false

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
        await this.#compare()
        return await work()
      } catch (error) {
        if (!isTransient(error)) throw error
        this.#isCompared = false
        if (signal.aborted) throw unavailable(CLOSED, error)
        if (this.#away === null && performance.now() + pauseMs > end) this.#lost(error)
        if (this.#away !== null) throw unavailable(this.#away, error)
      }
      await sleep(pauseMs, undefined, { signal }).catch(() => undefined)
    }
  }

  /** Compares the log with what was seen. @throws EngineUnavailable */
  async requireSameLog(): Promise<void> {
    this.#isCompared = false
    await this.attempt(async () => undefined)
  }

  /** Something does not work as it should: looks whether the server is there. */
  suspect(): void {
    this.#isCompared = false
    if (this.#isChecking) return
    this.#isChecking = true
    const checked = () => void (this.#isChecking = false)
    this.attempt(this.#options.probe).then(checked, checked)
  }

  close(): void {
    this.#closing.abort()
  }

  /** @throws EngineUnavailable; errors of the client */
  async #compare(): Promise<void> {
    const { contradiction, isSteady } = this.#options
    if (!(await isSteady())) this.#isCompared = false
    if (this.#isCompared) return
    const why = await contradiction()
    if (why === null) this.#isCompared = true
    else throw unavailable(this.#refuse(why))
  }

  #lost(error: unknown): void {
    this.#refuse(`EventStoreDB (${this.#options.name}) is unavailable: ${describeFailure(error)}`, error)
  }

  #refuse(why: string, error: unknown = null): string {
    const wasThere = this.#away === null
    if (why !== this.#away) this.#options.onTrouble(why, error)
    this.#away = why
    if (wasThere) void this.#untilBack()
    return why
  }

  async #untilBack(): Promise<void> {
    const { contradiction, limits, probe } = this.#options
    const { signal } = this.#closing
    while (!signal.aborted)
      try {
        await sleep(limits.probeMs, undefined, { signal, ref: false })
        await probe()
        const why = await contradiction()
        if (why !== null) this.#refuse(why)
        else {
          this.#away = null
          return
        }
      } catch {
        // Still away.
      }
  }
}

const unavailable = (why: string, cause?: unknown): EngineUnavailable =>
  new EngineUnavailable('event log', why, { cause })
