/** Counts requests per key in a sliding window. Contract suite: packages/http/src/rate-limit/contract.ts. */
export interface RateLimiter {
  /** Takes one request of `limit` per window, or refuses it. */
  take(key: string, limit: number): Promise<RateLimitState>
  /** Where the key stands, taking nothing. */
  peek(key: string, limit: number): Promise<RateLimitState>
  /** Whether it counts in a server that processes share. While that is unavailable each process counts for itself. */
  readonly remote: boolean
  /** Whether it counts where it is to, known within a few seconds. @throws EngineUnavailable */
  check(): Promise<void>
}

export interface RateLimitState {
  allowed: boolean
  limit: number
  remaining: number
  /** Milliseconds until the window is empty again for this key, or until the next request is allowed when refused. */
  resetMs: number
}
