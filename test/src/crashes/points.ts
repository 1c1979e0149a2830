/** Where a life ends: before or after its n-th point from when it was armed; 1 is the first. */
export interface Death {
  at: number
  when: 'before' | 'after'
}

type Method = (...args: unknown[]) => unknown

/**
 * Numbers the awaited calls of one life of the application, and ends that life at one of them. From then on no call of
 * the dead life reaches a store and none of its promises settles: for the next life it is as if the process had been
 * killed with SIGKILL.
 */
export class Points {
  readonly #died = Promise.withResolvers<void>()
  readonly #underWay = new Set<Promise<unknown>>()
  readonly #lost: () => Promise<never>
  #isDead = false
  #death: Death | null = null
  #passed = 0

  /** `lost`: what calls of the dead life come to; nothing, unless somebody has to hear that. */
  constructor(lost: () => Promise<never> = forever) {
    this.#lost = lost
  }

  /** Resolves when the life has ended. */
  get died(): Promise<void> {
    return this.#died.promise
  }

  get isDead(): boolean {
    return this.#isDead
  }

  /** How many points were passed since the life was armed. */
  get passed(): number {
    return this.#passed
  }

  /** Counts from here on. */
  arm(death: Death): void {
    this.#death = death
    this.#passed = 0
  }

  disarm(): void {
    this.#death = null
  }

  end(): void {
    this.#isDead = true
    this.#died.resolve()
  }

  /** Resolves once the stores have done what the dead life had begun: a store does a call whole or not at all. */
  async settled(): Promise<void> {
    while (this.#underWay.size > 0) await Promise.allSettled(this.#underWay)
  }

  /** The same port for this life. Calls of `points` are numbered; the others answer a living caller only. */
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
    if (this.#isDead) return this.#lost()
    const dies = this.#death && ++this.#passed === this.#death.at ? this.#death.when : null
    if (dies === 'before') {
      this.end()
      return this.#lost()
    }
    const done = (async () => call())()
    const settled = done.then(ignore, ignore)
    this.#underWay.add(settled)
    await settled
    this.#underWay.delete(settled)
    if (dies === 'after') this.end()
    return this.#isDead ? this.#lost() : done
  }

  #answer(call: () => unknown): unknown {
    if (this.#isDead) return this.#lost()
    const answer = call()
    if (isIterable(answer)) return this.#iterate(answer)
    if (!(answer instanceof Promise)) return answer
    return answer.then(
      (value: unknown) => (this.#isDead ? this.#lost() : value),
      (error: unknown) => (this.#isDead ? this.#lost() : Promise.reject(error)),
    )
  }

  async *#iterate(read: AsyncIterable<unknown>): AsyncIterable<unknown> {
    for await (const item of read) {
      if (this.#isDead) await this.#lost()
      yield item
    }
    if (this.#isDead) await this.#lost()
  }
}

const isIterable = (answer: unknown): answer is AsyncIterable<unknown> =>
  typeof answer === 'object' && answer !== null && Symbol.asyncIterator in answer
const ignore = (): void => undefined
export const forever = (): Promise<never> => new Promise(() => undefined)
