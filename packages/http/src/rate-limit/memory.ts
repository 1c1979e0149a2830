import type { RateLimiter, RateLimitState } from '@medialog/application'

/** The moments of a key's requests in the window, oldest first, in a ring that grows with use. */
interface Log {
  times: Float64Array
  start: number
  size: number
}

export interface MemoryRateLimiterOptions {
  /** Whole milliseconds from any moment on, never going back; the process's own unless a test has another. */
  now?: () => number
  windowMs?: number
  /** Keys remembered at once; beyond it those without a request in the window go, then the longest unused. */
  maxKeys?: number
}

/**
 * An exact sliding-window log for one process: at most `limit` requests in any `windowMs`, wherever it starts.
 * Memory is 8 bytes a request taken within the window (to the next power of two), and nothing for refused ones.
 */
export function createMemoryRateLimiter({
  // Not the time of day: once that was set back, no window would end until it is caught up with. Whole milliseconds, so that
  // sums are exact.
  now = () => Math.floor(performance.now()),
  windowMs = 60_000,
  maxKeys = 100_000,
}: MemoryRateLimiterOptions = {}): RateLimiter {
  const logs = new Map<string, Log>()

  function logOf(key: string, at: number): Log {
    const known = logs.get(key)
    const log = known ?? { times: new Float64Array(8), start: 0, size: 0 }
    // Maps keep insertion order: the first key is the longest unused.
    if (known) logs.delete(key)
    else if (logs.size >= maxKeys) makeRoom(at)
    logs.set(key, log)
    return log
  }

  function makeRoom(at: number): void {
    for (const [key, log] of logs) {
      forget(log, at - windowMs)
      if (log.size > 0 && logs.size < maxKeys) return
      logs.delete(key)
    }
  }

  return {
    async take(key, limit) {
      const at = now()
      const log = logOf(key, at)
      forget(log, at - windowMs)
      const allowed = log.size < limit
      if (allowed) append(log, at)
      return stateOf(log, limit, at, windowMs, allowed)
    },

    async peek(key, limit) {
      const at = now()
      const log = logs.get(key)
      if (!log) return { allowed: limit > 0, limit, remaining: limit, resetMs: 0 }
      forget(log, at - windowMs)
      return stateOf(log, limit, at, windowMs, log.size < limit)
    },

    remote: false,
    check: async () => {},
  }
}

function stateOf(log: Log, limit: number, at: number, windowMs: number, allowed: boolean): RateLimitState {
  const remaining = Math.max(0, limit - log.size)
  if (log.size === 0) return { allowed, limit, remaining, resetMs: allowed ? 0 : windowMs }
  // Refused: room is made when so many of the oldest have left that one fits; the limit may have sunk meanwhile.
  const awaited = allowed ? log.size - 1 : Math.min(log.size - 1, log.size - limit)
  return { allowed, limit, remaining, resetMs: timeAt(log, awaited) + windowMs - at }
}

const timeAt = (log: Log, index: number): number => log.times[(log.start + index) & (log.times.length - 1)]!

/** Drops what left the window: a request counts for exactly `windowMs`. */
function forget(log: Log, until: number): void {
  while (log.size > 0 && timeAt(log, 0) <= until) {
    log.start = (log.start + 1) & (log.times.length - 1)
    log.size--
  }
}

function append(log: Log, at: number): void {
  if (log.size === log.times.length) {
    const grown = new Float64Array(log.times.length * 2)
    for (let index = 0; index < log.size; index++) grown[index] = timeAt(log, index)
    log.times = grown
    log.start = 0
  }
  log.times[(log.start + log.size) & (log.times.length - 1)] = at
  log.size++
}
