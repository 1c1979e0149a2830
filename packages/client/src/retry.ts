import { Refused, Unreachable, type MedialogError } from './errors.ts'

export interface RetryOptions {
  signal?: AbortSignal
  /** Called before each wait, with the error that caused it. */
  onRetry?: (error: MedialogError, waitMs: number) => void
}

const FIRST_WAIT_MS = 500
const LONGEST_WAIT_MS = 30_000

/** As long as the service asks for (`Retry-After`), else 0.5, 1, 2, 4 … seconds, up to a third less at random. */
export const waitBefore = (retry: number, error: unknown): number =>
  (error instanceof Refused ? error.retryAfterMs : null) ??
  Math.min(FIRST_WAIT_MS * 2 ** (retry - 1), LONGEST_WAIT_MS) * (1 - Math.random() / 3)

/** Does `work` up to `attempts` times, while `isPassing` says that it may succeed later. @throws what the signal was aborted with */
export async function withRetry<T>(
  work: () => Promise<T>,
  isPassing: (error: unknown) => error is MedialogError,
  attempts: number,
  { signal, onRetry }: RetryOptions = {},
): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work()
    } catch (error) {
      if (attempt >= attempts || !isPassing(error)) throw error
      const wait = waitBefore(attempt, error)
      onRetry?.(error, wait)
      await sleep(wait, signal)
    }
  }
}

/**
 * Whether a request may be sent again after this error.
 * @param isRepeatable whether doing it twice is the same as doing it once
 * @param wasThere whether a server answered before: if none listens now, it is restarting
 */
export function isPassing(error: unknown, isRepeatable: boolean, wasThere: boolean): error is MedialogError {
  // Refused before anything was done.
  if (error instanceof Refused && error.status === 429) return true
  if (error instanceof Unreachable && error.reason === 'nobody') return wasThere
  if (!isRepeatable) return false
  if (error instanceof Refused)
    return (
      (error.status === 503 && error.retryAfterMs !== null) ||
      error.code === 'REQUEST_IN_PROGRESS' ||
      isOfProxy(error)
    )
  return error instanceof Unreachable && error.reason === 'broken'
}

/** A proxy has no service behind it at the moment, or has heard nothing from it: what of the request was done is not known. */
const isOfProxy = ({ status, code }: Refused): boolean =>
  [502, 503, 504].includes(status) && code === `HTTP_${status}`

/** @throws what the signal was aborted with */
export function sleep(milliseconds: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted()
    const leave = (): void => {
      clearTimeout(timer)
      reject(signal!.reason as Error)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', leave)
      resolve()
    }, milliseconds)
    signal?.addEventListener('abort', leave, { once: true })
  })
}
