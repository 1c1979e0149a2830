/** Counts requests per key in a sliding window. */
export interface RateLimiter {
  /** Takes one request of `limit` per window, or refuses it. */
  take(key: string, limit: number): Promise<RateLimitState>
  /** Where the key stands, taking nothing. */
  peek(key: string, limit: number): Promise<RateLimitState>
}

export interface RateLimitState {
  allowed: boolean
  limit: number
  remaining: number
  /** Milliseconds until the window is empty again for this key, or until the next request is allowed when refused. */
  resetMs: number
}
