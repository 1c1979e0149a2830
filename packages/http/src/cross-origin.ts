import cors from '@koa/cors'
import type Koa from 'koa'
import type { EdgeState } from './exchange.ts'

/** What pages of other origins may read of an answer besides its body. */
const EXPOSED = [
  'X-Request-Id',
  'X-Correlation-Id',
  'X-Position',
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
  'Retry-After',
  'Idempotency-Replayed',
  'Link',
]
/** How long a browser may keep what a preflight was answered: Chromium's most, in seconds. */
const KEPT_SECONDS = 7_200

/**
 * Lets pages of these origins call the service; `*`: of any. No cookie and no other secret that a browser would send by
 * itself lets anybody in, so a page reads what its own key may read.
 */
export const crossOrigin = (origins: readonly string[]): Koa.Middleware<EdgeState> =>
  cors({
    origin: (ctx) => {
      const origin = ctx.get('Origin')
      if (origins.includes('*')) return '*'
      return origins.includes(origin) ? origin : ''
    },
    allowMethods: 'GET,HEAD,POST,PUT,PATCH,DELETE',
    exposeHeaders: EXPOSED,
    maxAge: KEPT_SECONDS,
  })
