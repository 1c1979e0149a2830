import { setTimeout as sleep } from 'node:timers/promises'
import type { Client, estypes } from '@elastic/elasticsearch'
import type { Unwiped } from '@medialog/application/ports'

/** What was removed leaves the files after this long, or sooner when somebody waits for it. */
const EXPUNGE_AFTER_MS = 5_000
const RETRY_MS = 5_000
const LOOK_AGAIN_MS = 1_000
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
  readonly #stopping = new AbortController()

  /** `onFailure` receives the error of each failed try; another follows. */
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
    this.#stopping.abort()
    if (this.#timer) clearTimeout(this.#timer)
    this.#timer = null
    await this.#running?.catch(() => undefined)
  }

  #wake(afterMs: number): void {
    if (this.#stopping.signal.aborted) return
    this.#timer ??= setTimeout(() => {
      this.#timer = null
      // The run itself reported it to `onFailure`.
      this.flush().catch(() => undefined)
    }, afterMs).unref()
  }

  async #expunge(): Promise<void> {
    const removals = this.#removals
    const index = this.#index
    try {
      await this.#client.indices.refresh({ index })
      await this.#retained(await this.#operations())
      await this.#client.indices.flush({ index })
      await this.#client.indices.forcemerge(
        { index, only_expunge_deletes: true },
        { requestTimeout: TIMEOUT_MS },
      )
      // Readers let go of the segments that were merged.
      await this.#client.indices.refresh({ index })
      this.#removals -= removals
      this.#error = null
    } catch (error) {
      if (this.#stopping.signal.aborted) return
      this.#error = (error as Error).message
      this.#onFailure(error as Error)
      this.#wake(RETRY_MS)
      throw error
    }
  }

  /**
   * Waits until no copy of a shard retains those operations for another that may have to catch up: until then merging
   * keeps what they replaced. The engine looks twice a minute.
   */
  async #retained(operations: ReadonlyMap<string, number>): Promise<void> {
    const { signal } = this.#stopping
    const isRetained = (copies: readonly Copy[], last: number): boolean =>
      copies.some(({ retention_leases }) =>
        retention_leases?.leases.some(({ retaining_seq_no }) => retaining_seq_no <= last),
      )
    for (;;) {
      const shards = await this.#shards()
      if (!shards.some(([name, copies]) => isRetained(copies, operations.get(name) ?? -1))) return
      await sleep(LOOK_AGAIN_MS, undefined, { signal })
    }
  }

  /** The last operation of each shard. */
  async #operations(): Promise<Map<string, number>> {
    const last = (copies: readonly Copy[]): number =>
      Math.max(...copies.map(({ seq_no }) => seq_no?.max_seq_no ?? -1))
    return new Map((await this.#shards()).map(([name, copies]) => [name, last(copies)]))
  }

  async #shards(): Promise<[name: string, copies: Copy[]][]> {
    const { indices } = await this.#client.indices.stats({
      index: this.#index,
      metric: 'docs',
      level: 'shards',
    })
    return Object.entries((indices?.[this.#index]?.shards ?? {}) as Record<string, Copy[]>)
  }
}

/** Of a shard, as its statistics tell. */
type Copy = Pick<estypes.IndicesStatsShardStats, 'seq_no' | 'retention_leases'>
