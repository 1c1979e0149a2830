import { setTimeout as sleep } from 'node:timers/promises'

const FIRST_RETRY_MS = 250
const LONGEST_RETRY_MS = 15_000

/** Work that is owed whatever happens: refunds, bookkeeping. What the end of the process cuts short, recovery does. */
export interface Background {
  /** Tries once; where an engine is away, goes on trying after it resolved until it is done. Never rejects. */
  untilDone(work: () => Promise<unknown>): Promise<void>
  /** How much is being tried again. */
  readonly waiting: number
  /** Nothing is tried again after this. */
  stop(): void
}

/** `onRetry` hears of each failure. */
export function createBackground(onRetry: (error: unknown, attempt: number) => void): Background {
  const waiting = new Set<Promise<void>>()
  const stopping = new AbortController()

  async function retry(work: () => Promise<unknown>): Promise<void> {
    for (let attempt = 2; !stopping.signal.aborted; attempt++) {
      await sleep(Math.min(FIRST_RETRY_MS * 2 ** attempt, LONGEST_RETRY_MS), undefined, { ref: false })
      try {
        await work()
        return
      } catch (error) {
        onRetry(error, attempt)
      }
    }
  }

  return {
    async untilDone(work) {
      try {
        await work()
      } catch (error) {
        onRetry(error, 1)
        const retries = retry(work).finally(() => waiting.delete(retries))
        waiting.add(retries)
      }
    },
    get waiting() {
      return waiting.size
    },
    stop: () => stopping.abort(),
  }
}
