/** Where an instance crashes: before or after its n-th point since it was armed; 1 is the first. */
export interface Crash {
  at: number
  when: 'before' | 'after'
}

type Method = (...args: unknown[]) => unknown

/**
 * Numbers the awaited calls of one instance of the application, and crashes it at one of them. From then on none of its
 * calls reaches a store, and none of its promises settles. The next instance finds what a SIGKILL would have left.
 */
export class Points {
  readonly #crashed = Promise.withResolvers<void>()
  readonly #underWay = new Set<Promise<unknown>>()
  readonly #lost: () => Promise<never>
  #isCrashed = false
  #crash: Crash | null = null
  #passed = 0

  /** `lost` makes the promise that calls after the crash return. By default it never settles. */
  constructor(lost: () => Promise<never> = forever) {
    this.#lost = lost
  }

  /** Resolves at the crash. */
  get crashed(): Promise<void> {
    return this.#crashed.promise
  }

  get isCrashed(): boolean {
    return this.#isCrashed
  }

  /** Counts points from here on. */
  arm(crash: Crash): void {
    this.#crash = crash
    this.#passed = 0
  }

  disarm(): void {
    this.#crash = null
  }

  /** Crashes the instance now. */
  end(): void {
    this.#isCrashed = true
    this.#crashed.resolve()
  }

  /** Resolves once the stores have finished the calls that were under way: a store does a call whole or not at all. */
  async settled(): Promise<void> {
    while (this.#underWay.size > 0) await Promise.allSettled(this.#underWay)
  }

  /** The port as this instance sees it. Calls of the methods in `points` are numbered. */
  between<Port extends object>(port: Port, points: readonly (keyof Port)[]): Port {
    return new Proxy(port, {
      get: (target, name) => {
        const value = Reflect.get(target, name) as unknown
        if (typeof value !== 'function') return value
        const method = value.bind(target) as Method
        return points.includes(name as keyof Port)
          ? (...args: unknown[]) => this.#pass(() => method(...args))
          : (...args: unknown[]) => this.#answer(() => method(...args))
      },
    })
  }

  async #pass(call: () => unknown): Promise<unknown> {
    if (this.#isCrashed) return this.#lost()
    const crashes = this.#crash && ++this.#passed === this.#crash.at ? this.#crash.when : null
    if (crashes === 'before') {
      this.end()
      return this.#lost()
    }
    const done = (async () => call())()
    const settled = done.then(ignore, ignore)
    this.#underWay.add(settled)
    await settled
    this.#underWay.delete(settled)
    if (crashes === 'after') this.end()
    return this.#isCrashed ? this.#lost() : done
  }

  #answer(call: () => unknown): unknown {
    if (this.#isCrashed) return this.#lost()
    const answer = call()
    if (isIterable(answer)) return this.#iterate(answer)
    if (!(answer instanceof Promise)) return answer
    return answer.then(
      (value: unknown) => (this.#isCrashed ? this.#lost() : value),
      (error: unknown) => (this.#isCrashed ? this.#lost() : Promise.reject(error)),
    )
  }

  async *#iterate(read: AsyncIterable<unknown>): AsyncIterable<unknown> {
    for await (const item of read) {
      if (this.#isCrashed) await this.#lost()
      yield item
    }
    if (this.#isCrashed) await this.#lost()
  }
}

const isIterable = (answer: unknown): answer is AsyncIterable<unknown> =>
  typeof answer === 'object' && answer !== null && Symbol.asyncIterator in answer
const ignore = (): void => undefined
export const forever = (): Promise<never> => new Promise(() => undefined)
