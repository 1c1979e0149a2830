import { setTimeout as sleep } from 'node:timers/promises'
import { CliError, Interrupted, Refused, Unreachable } from './errors.ts'

export interface RetryOptions {
  /** How many times to try in all. */
  attempts: number
  signal?: AbortSignal
  /** The server answered a moment ago: that nobody listens is a restart. */
  restarting?: boolean
  /** Told before each wait. */
  onWait?: (milliseconds: number, error: CliError) => void
}

const LONGEST_WAIT_MS = 60_000

/** Tries again what may succeed later, after as long as the server asks for (`Retry-After`), else 1, 2, 4, … seconds. */
export async function withRetry<T>(work: () => Promise<T>, options: RetryOptions): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work()
    } catch (error) {
      if (attempt >= options.attempts || !(error instanceof CliError) || !isPassing(error, options))
        throw error
      const asked = error instanceof Refused ? error.retryAfterMs : null
      const wait = Math.min(asked ?? 1000 * 2 ** (attempt - 1), LONGEST_WAIT_MS)
      options.onWait?.(wait, error)
      await pause(wait, options.signal)
    }
  }
}

function isPassing(error: CliError, { restarting = false }: RetryOptions): boolean {
  // A connection that broke in the middle may be a restart. Nobody listening, or no answer in time, is said at once.
  if (error instanceof Unreachable)
    return error.reason === 'broken' || (restarting && error.reason === 'nobody')
  if (!(error instanceof Refused)) return false
  return error.status === 429 || error.status === 503 || error.code === 'REQUEST_IN_PROGRESS'
}

/** @throws Interrupted */
async function pause(milliseconds: number, signal?: AbortSignal): Promise<void> {
  try {
    await sleep(milliseconds, undefined, { signal })
  } catch {
    throw new Interrupted()
  }
}
