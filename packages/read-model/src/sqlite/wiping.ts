import type { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Unwiped } from '@medialog/application/ports'

/** What was erased is wiped from the files after this long, or sooner when somebody waits for it. */
const WIPE_AFTER_MS = 500
/** How soon wiping is tried again while a reader's snapshot holds it up, and after a failure. */
const WIPE_AGAIN_MS = 25
const RETRY_MS = 2_000

/** Empties SQLite's log of older pages once removed rows were overwritten with zeros; goes on until that is done. */
export class Wiping {
  readonly #database: DatabaseSync
  readonly #onFailure: (error: Error) => void
  #due = false
  #removals = 0
  #error: string | null = null
  #running: Promise<void> | null = null
  #timer: NodeJS.Timeout | null = null

  /** `onFailure` receives the error of each failed try; another follows. */
  constructor(database: DatabaseSync, onFailure: (error: Error) => void) {
    this.#database = database
    this.#onFailure = onFailure
    // A crash may have come between a removal and its wiping.
    this.schedule(0)
  }

  get unwiped(): Unwiped {
    return { removals: this.#removals, error: this.#error }
  }

  schedule(removals: number): void {
    this.#removals += removals
    this.#due = true
    this.#wake(WIPE_AFTER_MS)
  }

  /** Resolves once everything scheduled before the call is wiped; rejects when a try failed. */
  flush(): Promise<void> {
    if (!this.#due) return this.#running ?? Promise.resolve()
    this.#running ??= this.#wipe().finally(() => (this.#running = null))
    return this.#running
  }

  stop(): void {
    if (this.#timer) clearTimeout(this.#timer)
    this.#timer = null
    this.#due = false
  }

  #wake(afterMs: number): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = null
      // The run itself reported it to `onFailure`.
      this.flush().catch(() => undefined)
    }, afterMs).unref()
  }

  async #wipe(): Promise<void> {
    while (this.#due && this.#database.isOpen) {
      if (this.#truncateLog()) {
        this.#due = false
        this.#removals = 0
        this.#error = null
      } else await sleep(WIPE_AGAIN_MS)
    }
  }

  /** False while a reader is in the way, or a copy that this connection makes. */
  #truncateLog(): boolean {
    if (this.#database.isTransaction) return false
    try {
      const outcome = this.#database.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get() as { busy: number }
      return outcome.busy === 0
    } catch (error) {
      this.#error = (error as Error).message
      this.#onFailure(error as Error)
      this.#wake(RETRY_MS)
      throw error
    }
  }
}
