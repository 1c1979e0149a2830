import type { Client } from '@elastic/elasticsearch'
import type { Unwiped } from '@medialog/application/ports'

/** What was removed leaves the files after this long, or sooner when somebody waits for it. */
const EXPUNGE_AFTER_MS = 5_000
const RETRY_MS = 5_000
/** Merging a large index takes its time. */
const TIMEOUT_MS = 3_600_000

/**
 * A document that was replaced stays in the files of its segment until that is merged, which may be never. This merges
 * every segment that holds such, and goes on until that is done.
 */
export class Expunging {
  readonly #client: Client
  readonly #index: string
  readonly #onFailure: (error: Error) => void
  #removals = 0
  #error: string | null = null
  #running: Promise<void> | null = null
  #timer: NodeJS.Timeout | null = null
  #stopped = false

  /** `onFailure` hears of every try that failed; another follows by itself. */
  constructor(client: Client, index: string, onFailure: (error: Error) => void) {
    this.#client = client
    this.#index = index
    this.#onFailure = onFailure
  }

  get unwiped(): Unwiped {
    return { removals: this.#removals, error: this.#error }
  }

  schedule(removals: number): void {
    if (removals === 0) return
    this.#removals += removals
    this.#wake(EXPUNGE_AFTER_MS)
  }

  /** Resolves once everything scheduled before the call is gone; rejects when a try failed. */
  async flush(): Promise<void> {
    // What runs may have begun before the last removal.
    await this.#running?.catch(() => undefined)
    if (this.#removals === 0) return
    this.#running ??= this.#expunge().finally(() => (this.#running = null))
    await this.#running
  }

  async stop(): Promise<void> {
    this.#stopped = true
    if (this.#timer) clearTimeout(this.#timer)
    this.#timer = null
    await this.#running?.catch(() => undefined)
  }

  #wake(afterMs: number): void {
    if (this.#stopped) return
    this.#timer ??= setTimeout(() => {
      this.#timer = null
      // Told to `onFailure` by whoever ran it.
      this.flush().catch(() => undefined)
    }, afterMs).unref()
  }

  async #expunge(): Promise<void> {
    const removals = this.#removals
    try {
      const index = this.#index
      await this.#client.indices.flush({ index })
      await this.#client.indices.forcemerge(
        { index, only_expunge_deletes: true },
        { requestTimeout: TIMEOUT_MS },
      )
      this.#removals -= removals
      this.#error = null
    } catch (error) {
      this.#error = (error as Error).message
      this.#onFailure(error as Error)
      this.#wake(RETRY_MS)
      throw error
    }
  }
}
