import { setTimeout as sleep } from 'node:timers/promises'
import { EngineUnavailable, type Coordination, type StoreName } from '@medialog/application/ports'
import type { LogPosition } from '@medialog/kernel'
import { Hosted } from '../hosted.ts'
import type { HostPorts, Projected } from '../ports.ts'
import { campaign } from './election.ts'
import { leaseOf, type Timing } from './lease.ts'
import type { Term } from './term.ts'

export interface LedOptions {
  coordination: Coordination
  holder: string
  timing: Timing
  onReached: (name: StoreName, position: LogPosition) => void
}

/** What this process leads now. */
export interface Leading {
  term: Term
  hosted: Hosted
}

/** One read model in a process that keeps it up to date whenever no other does. */
export class Led {
  readonly name: StoreName
  readonly #one: Projected<never>
  readonly #ports: HostPorts
  readonly #options: LedOptions
  readonly #closing = new AbortController()
  readonly #running: Promise<void>
  readonly #looked = Promise.withResolvers<void>()
  #leading: Leading | null = null

  constructor(one: Projected<never>, ports: HostPorts, options: LedOptions) {
    this.name = one.projection.name
    this.#one = one
    this.#ports = ports
    this.#options = options
    this.#running = this.#run()
  }

  /** Resolves once it leads and has something to read, or it is seen that it cannot lead now. */
  get looked(): Promise<void> {
    return this.#looked.promise
  }

  get leading(): Leading | null {
    return this.#leading
  }

  /** Hands over: another may lead once it resolves. */
  async close(): Promise<void> {
    this.#closing.abort()
    await this.#running
  }

  async #run(): Promise<void> {
    const { signal } = this.#closing
    while (!signal.aborted)
      try {
        const term = await this.#win()
        await this.#lead(term)
      } catch (error) {
        if (signal.aborted) return
        this.#ports.logger.error({ readModel: this.name, err: error }, 'leading failed and is tried again')
        await sleep(this.#options.timing.lookEvery, undefined, { signal }).catch(() => undefined)
      }
  }

  #win(): Promise<Term> {
    const { name: readModel } = this
    let trouble: string | null = null
    return campaign({
      ...this.#options,
      lease: leaseOf(readModel),
      signal: this.#closing.signal,
      onOther: (error) => {
        this.#looked.resolve()
        const now = error === null ? null : (error as Error).message
        if (now !== null && now !== trouble)
          this.#ports.logger.error({ readModel, err: error }, 'who leads cannot be seen')
        trouble = now
      },
    })
  }

  /** Until it is closed, or another leads. */
  async #lead(term: Term): Promise<void> {
    this.#ports.logger.info({ readModel: this.name, term: term.id }, 'this process leads')
    const ended = AbortSignal.any([this.#closing.signal, term.lost])
    try {
      while (!ended.aborted) await this.#host(term, ended)
    } finally {
      if (term.lost.aborted)
        this.#ports.logger.warn(
          { readModel: this.name, term: term.id },
          'this process does not lead any more',
        )
      await term.release().catch((error: unknown) => {
        // A waiting process takes it when it was silent for long enough.
        if (!(error instanceof EngineUnavailable)) throw error
      })
    }
  }

  /**
   * Until leading ends or what was opened is not this process's any more. A former leader that was stalled may take it
   * once more before it notices that it leads no longer: the lease decides, and it is opened again.
   */
  async #host(term: Term, ended: AbortSignal): Promise<void> {
    const replaced = new AbortController()
    const until = AbortSignal.any([ended, replaced.signal])
    const { onReached } = this.#options
    const hosted = new Hosted(this.#one, this.#ports, { onReached, onReplaced: () => replaced.abort() })
    this.#leading = { term, hosted }
    term.tell(() => hosted.condition)
    try {
      await hosted.start()
      this.#looked.resolve()
      if (!until.aborted) await new Promise((resolve) => until.addEventListener('abort', resolve))
    } finally {
      this.#leading = null
      await hosted.close()
    }
    // Time to learn whether the lease is lost.
    if (!ended.aborted)
      await sleep(this.#options.timing.renewEvery * 2, undefined, { signal: ended }).catch(() => undefined)
  }
}
