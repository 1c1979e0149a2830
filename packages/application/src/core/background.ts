import { setTimeout as sleep } from 'node:timers/promises'
import { StreamDamaged } from '../ports/index.ts'

const FIRST_RETRY_MS = 250
const LONGEST_RETRY_MS = 15_000

/**
 * How long a request waits for the outcome of an undoing that failed, in milliseconds: an append that was reported as failed
 * may be done, and a refusal that does not hold may keep money. Enough for three more tries.
 */
export const OUTCOME_PATIENCE_MS = 4_000

/** Work that must be done: refunds, bookkeeping. What the end of the process cuts short, recovery does. */
export interface Background {
  /**
   * Tries once and returns the result; where an engine is unavailable, returns undefined after `patienceMs` and goes on
   * trying until it is done. What meets a damaged stream is left: recovery takes it up once that is mended. Never rejects.
   */
  untilDone<T>(work: () => Promise<T>, patienceMs?: number): Promise<T | undefined>
  /** Reports a failure, the n-th of the same work, and waits before the next try; no longer once the signal aborts. */
  pause(failure: unknown, attempt: number, signal: AbortSignal): Promise<void>
  /** How much is being tried again. */
  readonly waiting: number
  /** Why the last try of any of it failed; null where nothing is being tried again. */
  readonly trouble: string | null
  /** Nothing is tried again after this. */
  stop(): void
}

export interface KeptDoing {
  background: Pick<Background, 'pause'>
  signal: AbortSignal
  /** Receives each failure, and null after a success. */
  onTrouble: (failure: unknown) => void
}

/**
 * Does what has no end, again and again until the signal aborts: after a failure with a pause, ever longer ones until the
 * work says that it got on. Never rejects.
 */
export async function keepDoing(
  { background, signal, onTrouble }: KeptDoing,
  work: (onProgress: () => void) => Promise<void>,
): Promise<void> {
  let attempts = 0
  const onProgress = (): void => {
    attempts = 0
    onTrouble(null)
  }
  while (!signal.aborted)
    try {
      await work(onProgress)
    } catch (error) {
      if (signal.aborted) return
      onTrouble(error)
      await background.pause(error, attempts++, signal)
    }
}

/** A pause that an abort ends early: no failure, since what comes after it looks at the signal. */
const untilAborted = (milliseconds: number, signal: AbortSignal): Promise<undefined> =>
  sleep(milliseconds, undefined, { ref: false, signal }).catch(() => undefined)

/** `onRetry` receives each failure. */
export function createBackground(onRetry: (error: unknown, attempt: number) => void): Background {
  const waiting = new Set<Promise<unknown>>()
  let lastFailure: unknown = null
  const stopping = new AbortController()

  async function pause(failure: unknown, attempt: number, signal: AbortSignal): Promise<void> {
    onRetry(failure, attempt)
    const milliseconds = Math.min(FIRST_RETRY_MS * 2 ** attempt, LONGEST_RETRY_MS)
    await untilAborted(milliseconds, signal)
  }

  async function retry<T>(work: () => Promise<T>, failure: unknown): Promise<T | undefined> {
    for (let attempt = 1; ; attempt++) {
      lastFailure = failure
      await pause(failure, attempt, stopping.signal)
      if (stopping.signal.aborted) return undefined
      try {
        return await work()
      } catch (error) {
        if (error instanceof StreamDamaged) return undefined
        failure = error
      }
    }
  }

  return {
    async untilDone(work, patienceMs = 0) {
      try {
        return await work()
      } catch (error) {
        if (error instanceof StreamDamaged) return undefined
        const retries = retry(work, error).finally(() => waiting.delete(retries))
        waiting.add(retries)
        return Promise.race([retries, untilAborted(patienceMs, stopping.signal)])
      }
    },
    pause,
    get waiting() {
      return waiting.size
    },
    get trouble() {
      return waiting.size === 0 ? null : (lastFailure as Error).message
    },
    stop: () => stopping.abort(),
  }
}
