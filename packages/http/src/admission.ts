import { hash, timingSafeEqual } from 'node:crypto'
import type { RateLimiter, RateLimitState } from '@medialog/application'
import { IDEMPOTENCY_KEY, MAX_COST, type RouteContract } from '@medialog/contract/http'
import type { Capability } from '@medialog/domain'
import { formatUsd, usd, type Money } from '@medialog/kernel'
import { Refusal, unavailable } from './answers/refusal.ts'
import type { EdgeContext } from './exchange.ts'
import type { HttpOptions, HttpOptionsOf } from './options.ts'
import { ABOUT_OLD_POSITIONS, type Positions } from './position.ts'
import { invalid } from './request/issues.ts'

type Check = (ctx: EdgeContext) => Promise<void>

const headerOf = (ctx: EdgeContext, name: string): string | undefined => {
  const value = ctx.req.headers[name]
  return typeof value === 'string' ? value : undefined
}

/** The key of an account: in its own header, or as a bearer token, which is all that some programs can send. */
export const apiKeyOf = (ctx: EdgeContext): string | undefined =>
  headerOf(ctx, 'x-api-key') ?? /^Bearer (\S+)$/i.exec(headerOf(ctx, 'authorization') ?? '')?.[1]

/** Checks the API key, the rate and the capability: 401, 429, 403, in that order. */
export function admission(route: RouteContract, options: HttpOptionsOf<'accounts'>): Check {
  const { access } = route
  if (access === 'public') return async () => {}
  if (access === 'operator') return operatorAdmission(options)
  const { application, rateLimiter, tierLimits } = options
  return async (ctx) => {
    const { exchange } = ctx.state
    const principal = await application.accounts.authenticate(apiKeyOf(ctx))
    const rate = await rateLimiter.take(principal.keyId, tierLimits[principal.tier])
    exchange.principal = principal
    exchange.rate = rate
    if (!rate.allowed) throw rateExceeded('requests', rate)
    requireCapability(ctx, access)
    if (route.paid) exchange.requireCost = costLimit(ctx, route)
  }
}

/** Of a request whose key is known. @throws Refusal */
export function requireCapability(ctx: EdgeContext, capability: Capability): void {
  const { capabilities } = ctx.state.exchange.principal!
  if (!capabilities.includes(capability))
    throw new Refusal('INSUFFICIENT_PERMISSIONS', `The API key lacks the capability '${capability}'.`, {
      required_capability: capability,
      capabilities: [...capabilities],
    })
}

function rateExceeded(what: string, { limit, resetMs }: RateLimitState): Refusal {
  const seconds = Math.max(1, Math.ceil(resetMs / 1000))
  return new Refusal(
    'RATE_LIMIT_EXCEEDED',
    `More than ${limit} ${what} in 60 s; try again in ${seconds} s.`,
    { limit, retry_after_seconds: seconds },
    { 'Retry-After': String(seconds) },
  )
}

function operatorAdmission({
  operatorToken,
  rateLimiter,
}: Pick<HttpOptions, 'operatorToken' | 'rateLimiter'>): Check {
  const isToken = tokenCheck(operatorToken, rateLimiter)
  return async (ctx) => {
    if (!(await isToken(ctx, headerOf(ctx, 'x-operator-token'))))
      throw new Refusal(
        'INVALID_OPERATOR_TOKEN',
        'The operator token is missing or not valid. Send it in the X-Operator-Token header.',
      )
  }
}

/** So many wrong tokens of one address in the limiter's window are looked at. */
const WRONG_TOKENS = 60

/**
 * Whether a token of the operator's is the right one. After too many wrong ones from an address none is looked at, the
 * right one neither: else guessing would go on. @throws Refusal then
 */
export function tokenCheck(
  token: string,
  rateLimiter: RateLimiter,
): (ctx: EdgeContext, candidate: string | undefined) => Promise<boolean> {
  const isToken = secretCheck(token)
  return async (ctx, candidate) => {
    if (candidate === undefined) return false
    // No id of a key has a space.
    const source = `operator ${ctx.req.socket.remoteAddress}`
    const wrong = await rateLimiter.peek(source, WRONG_TOKENS)
    if (!wrong.allowed) throw rateExceeded('wrong operator tokens', wrong)
    if (isToken(candidate)) return true
    await rateLimiter.take(source, WRONG_TOKENS)
    return false
  }
}

/** Compares digests in constant time: neither content nor length of the secret shows in how long it takes. */
function secretCheck(secret: string): (candidate: string | undefined) => boolean {
  const digestOf = (text: string): Buffer => hash('sha256', text, 'buffer')
  const expected = digestOf(secret)
  return (candidate) => candidate !== undefined && timingSafeEqual(digestOf(candidate), expected)
}

/** The request's Idempotency-Key, if any. @throws Refusal for a malformed one */
export function idempotencyKey(ctx: EdgeContext, route: RouteContract): string | undefined {
  const key = headerOf(ctx, 'idempotency-key')
  if (key === undefined || IDEMPOTENCY_KEY.test(key)) return key
  throw invalid(route, 'Idempotency-Key', 'must have 1 to 255 visible ASCII characters')
}

/** Whether to cancel the work when the caller disconnects. @throws Refusal */
export function cancelsOnDisconnect(ctx: EdgeContext, route: RouteContract): boolean {
  const wanted = headerOf(ctx, 'x-on-disconnect')
  if (wanted === undefined || wanted === 'cancel') return wanted === 'cancel'
  throw invalid(route, 'X-On-Disconnect', 'must be cancel, or left out')
}

function costLimit(ctx: EdgeContext, route: RouteContract): ((most: Money) => void) | undefined {
  const most = headerOf(ctx, 'x-max-cost')
  if (most === undefined) return undefined
  if (!MAX_COST.test(most))
    throw invalid(route, 'X-Max-Cost', 'must be an amount of USD with at most nine decimals, such as 0.05')
  const limit = usd(most)
  return (cost) => {
    if (cost > limit)
      throw invalid(route, 'X-Max-Cost', `is less than the ${formatUsd(cost)} USD that it could cost`)
  }
}

const MIN_POSITION = `must be the X-Position of an earlier answer to this account, or several with commas between. ${ABOUT_OLD_POSITIONS}`

/**
 * Waits until reads show what the caller has seen: 400 for what is no position of this account, 409 for one beyond the end
 * of the log, 503 when it takes too long.
 * Of writes at the same time a caller cannot tell which is later: it names them all.
 */
export function positionWait(
  route: RouteContract,
  { application }: HttpOptionsOf<'status'>,
  positions: Positions,
): Check {
  if (route.access !== 'read') return async () => {}
  return async (ctx) => {
    const tokens = headerOf(ctx, 'x-min-position')
    if (tokens === undefined) return
    const { accountId } = ctx.state.exchange.principal!
    let last = 0
    for (const token of tokens.split(',')) {
      const position = positions.open(accountId, token.trim())
      if (position === null) throw invalid(route, 'X-Min-Position', MIN_POSITION)
      last = Math.max(last, position)
    }
    if (!(await application.status.reached(last))) throw unavailable(1)
  }
}
