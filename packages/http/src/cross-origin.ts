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

/** What programs of an account call. Pages of other origins have no business with the operator's side. */
const CALLED = /^\/(v1|mcp)(\/|$)/

/**
 * Lets pages of these origins call `/v1` and `/mcp`; `*`: of any. No cookie and no other secret that a browser would send by
 * itself lets anybody in, so a page reads what its own key may read.
 */
export function crossOrigin(origins: readonly string[]): Koa.Middleware<EdgeState> {
  const answer = cors({
    origin: (ctx) => {
      const origin = ctx.get('Origin')
      if (origins.includes('*')) return '*'
      return origins.includes(origin) ? origin : ''
    },
    allowMethods: 'GET,HEAD,POST,PUT,PATCH,DELETE',
    exposeHeaders: EXPOSED,
    maxAge: KEPT_SECONDS,
  })
  return (ctx, next) => (CALLED.test(ctx.path) ? answer(ctx, next) : next())
}
