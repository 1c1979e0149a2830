import {
  EngineUnavailable,
  nodeTls,
  type EngineTls,
  type RateLimiter,
  type RateLimitState,
} from '@medialog/application'
import { createClient } from '@redis/client'
import { createMemoryRateLimiter } from './memory.ts'
import { slidingWindow, type WindowState } from './sliding-window.ts'

export interface RedisRateLimiterOptions {
  /** `redis://user:password@host:6379/0`, `rediss://` with TLS. */
  url: string
  /** What `rediss://` is spoken with, beyond what Node trusts. */
  tls?: EngineTls | null
  windowMs?: number
  /** A request waits no longer for the server: 250 ms unless set. */
  answerMs?: number
  /** The server went away, and why; null: it is back. */
  onTrouble?: (trouble: string | null) => void
}

const ENGINE = 'rate limiter'
const KEYS = 'medialog:rate:'
const CHECK_MS = 2_000
/** After a failure, requests do without the server for so long. */
const ALONE_MS = 1_000
const START_MS = 2_000
const LONGEST_RECONNECT_MS = 2_000
/** A connection that is silent for so long, although it is pinged, is replaced. */
const PING_MS = 2_000
const SILENT_MS = 6_000

/**
 * The exact sliding window of the memory's limiter in Redis or Valkey, by the server's clock, for all processes that share
 * it. While it is unavailable each process counts for itself: no request fails for it, and none waits for long.
 */
export async function openRedisRateLimiter({
  url,
  tls = null,
  windowMs = 60_000,
  answerMs = 250,
  onTrouble = () => {},
}: RedisRateLimiterOptions): Promise<RateLimiter & { close(): void }> {
  const client = createClient({
    url,
    scripts: { slidingWindow },
    disableOfflineQueue: true,
    maintNotifications: 'disabled',
    pingInterval: PING_MS,
    socket: {
      ...(tls && { tls: true as const, ...nodeTls(tls) }),
      connectTimeout: START_MS,
      socketTimeout: SILENT_MS,
      reconnectStrategy: (retries) => Math.min(50 * 2 ** Math.min(retries, 10), LONGEST_RECONNECT_MS),
    },
  })
  const own = createMemoryRateLimiter({ windowMs })
  let trouble: string | null = null
  let aloneUntil = 0
  const note = (found: string | null): void => {
    if ((found === null) !== (trouble === null)) onTrouble(found)
    trouble = found
  }
  /** Why there is no connection: a command fails with "offline" then, whatever the reason. */
  let unreachable: string | null = null
  client.on('error', ({ message }: Error) => {
    unreachable = message
    note(message)
  })
  client.on('ready', () => void (unreachable = null))
  const reasonOf = (error: unknown): string => unreachable ?? (error as Error).message

  async function ask(key: string, limit: number, take: boolean, withinMs: number): Promise<RateLimitState> {
    const answer = await within(withinMs, client.slidingWindow(KEYS + key, windowMs, limit, take))
    const [allowed, size, resetMicroseconds] = answer as WindowState
    note(null)
    return {
      allowed: allowed === 1,
      limit,
      remaining: Math.max(0, limit - size),
      resetMs: resetMicroseconds < 0 ? windowMs : Math.ceil(resetMicroseconds / 1000),
    }
  }

  async function askOrAlone(what: 'take' | 'peek', key: string, limit: number): Promise<RateLimitState> {
    if (performance.now() >= aloneUntil)
      try {
        return await ask(key, limit, what === 'take', answerMs)
      } catch (error) {
        aloneUntil = performance.now() + ALONE_MS
        note(reasonOf(error))
      }
    return own[what](key, limit)
  }

  // Without it the service starts anyway.
  const connected = client.connect().then(
    () => undefined,
    (error: Error) => note(error.message),
  )
  await within(START_MS, connected).catch((error: Error) => note(error.message))
  return {
    take: (key, limit) => askOrAlone('take', key, limit),
    peek: (key, limit) => askOrAlone('peek', key, limit),
    remote: true,
    async check() {
      try {
        await ask('check', 1, false, CHECK_MS)
      } catch (error) {
        const reason = `each process counts for itself: ${reasonOf(error)}`
        throw new EngineUnavailable(ENGINE, reason, { cause: error })
      }
    },
    close: () => {
      if (client.isOpen) client.destroy()
    },
  }
}

/** The client bounds how long a command waits to be sent, not how long for its answer. */
async function within<T>(milliseconds: number, work: Promise<T>): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => reject(new Error(`no answer within ${milliseconds} ms`)), milliseconds)
  try {
    return await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
  }
}
