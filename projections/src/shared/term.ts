import { setTimeout as sleep } from 'node:timers/promises'
import type { Coordination, Note } from '@medialog/application/ports'
import type { Lease, Timing } from './lease.ts'

/** One leadership, from when the lease was taken until it is lost or released. */
export class Term {
  readonly id: string
  readonly #coordination: Coordination
  readonly #timing: Timing
  readonly #lost = new AbortController()
  readonly #ended = new AbortController()
  readonly #renewing: Promise<void>
  #note: Note<Lease>
  /** The last renewal failed: it may have been written anyway. */
  #isUnsure = false
  #deadline: NodeJS.Timeout
  #condition: () => Pick<Lease, 'error' | 'unwiped'>

  /** `taken`: when that was begun, by performance.now(). */
  constructor(coordination: Coordination, timing: Timing, note: Note<Lease>, taken: number) {
    this.id = note.value.term
    this.#coordination = coordination
    this.#timing = timing
    this.#note = note
    this.#condition = () => note.value
    this.#deadline = this.#holdFrom(taken)
    this.#renewing = this.#keepRenewing()
  }

  /** Aborts when another took the lease, or it could not be renewed for so long that another may have. */
  get lost(): AbortSignal {
    return this.#lost.signal
  }

  /** What the lease publishes of the read model from now on. */
  tell(condition: () => Pick<Lease, 'error' | 'unwiped'>): void {
    this.#condition = condition
  }

  /** Gives the lease up, if it is still this one's: another may take it at once. */
  async release(): Promise<void> {
    this.#ended.abort()
    clearTimeout(this.#deadline)
    await this.#renewing
    if (this.#lost.signal.aborted) return
    await this.#coordination.write(this.#note.id, { ...this.#note.value, isReleased: true }, this.#note)
  }

  async #keepRenewing(): Promise<void> {
    const { signal } = this.#ended
    while (!signal.aborted) {
      await sleep(this.#timing.renewEvery, undefined, { signal }).catch(() => undefined)
      if (signal.aborted) return
      try {
        if (!(await this.#renew())) return this.#lose()
      } catch {
        // The engine is unavailable: until the deadline no other process can have it.
        this.#isUnsure = true
      }
    }
  }

  /** False: it is another's. */
  async #renew(): Promise<boolean> {
    const begun = performance.now()
    if (this.#isUnsure) {
      const found = await this.#coordination.read<Lease>(this.#note.id)
      if (found?.value.term !== this.id) return false
      this.#note = found
    }
    const { error, unwiped } = this.#condition()
    const lease: Lease = { ...this.#note.value, beat: this.#note.value.beat + 1, error, unwiped }
    const renewed = await this.#coordination.write(this.#note.id, lease, this.#note)
    if (renewed === null) return false
    this.#note = renewed
    this.#isUnsure = false
    clearTimeout(this.#deadline)
    if (!this.#ended.signal.aborted) this.#deadline = this.#holdFrom(begun)
    return true
  }

  #holdFrom(begun: number): NodeJS.Timeout {
    const left = begun + this.#timing.stepBackAfter - performance.now()
    return setTimeout(() => this.#lose(), Math.max(0, left))
  }

  #lose(): void {
    this.#ended.abort()
    clearTimeout(this.#deadline)
    this.#lost.abort()
  }
}
