import type { IncomingMessage } from 'node:http'
import { newId } from '@medialog/application'
import { requestId as requestIds, type JsonObject } from '@medialog/kernel'
import type Koa from 'koa'
import { elapsed, type EdgeContext, type EdgeState, type Exchange } from '../exchange.ts'
import type { HttpOptions, HttpOptionsOf } from '../options.ts'
import type { Positions } from '../position.ts'
import { ClientGone } from '../request/client-gone.ts'
import { holdsBodyBack } from '../request/expectation.ts'
import { bodyOf, failure, refusalOf } from './refusal.ts'
import { limitUnreadBody } from './unread-body.ts'

/** What a caller's own request id may hold; the rest of it is dropped. */
const NOT_CORRELATION = /[^\x21-\x7e]/g
const LONGEST_CORRELATION = 128
const TRACEPARENT = /^[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$/
/** As proxies log it: the caller left before the answer. */
const CLIENT_CLOSED_REQUEST = 499

/** The one way in and out: ids, headers that every answer has, errors into answers, log and metrics. */
export function answering(options: HttpOptions, positions: Positions): Koa.Middleware<EdgeState> {
  return async (ctx, next) => {
    const exchange = beginExchange(ctx.req)
    ctx.state.exchange = exchange
    const requestId = requestIds.format(exchange.requestId)
    ctx.set('X-Request-Id', requestId)
    ctx.set('X-Content-Type-Options', 'nosniff')
    if (exchange.correlationId) ctx.set('X-Correlation-Id', exchange.correlationId)
    let cause: unknown
    try {
      await next()
    } catch (error) {
      cause = error
      answerError(ctx, error, requestId)
    }
    if (exchange.route?.access !== 'public' && !ctx.response.get('Cache-Control'))
      ctx.set('Cache-Control', 'no-store')
    if (exchange.principal) await setAccountHeaders(ctx, options, positions)
    // What comes next on a connection whose body was never sent would be taken for that body.
    if (holdsBodyBack(ctx.req)) ctx.set('Connection', 'close')
    else if (!ctx.req.complete) limitUnreadBody(ctx.req, ctx.res)
    finish(ctx, options, cause)
  }
}

function beginExchange({ headers }: IncomingMessage): Exchange {
  const sent = headers['x-request-id']
  const traceparent = headers['traceparent']
  return {
    requestId: newId(),
    correlationId:
      typeof sent === 'string'
        ? sent.replace(NOT_CORRELATION, '').slice(0, LONGEST_CORRELATION) || undefined
        : undefined,
    traceparent: typeof traceparent === 'string' && TRACEPARENT.test(traceparent) ? traceparent : undefined,
    startedAt: performance.now(),
    route: null,
    principal: null,
    rate: null,
    position: null,
  }
}

function answerError(ctx: EdgeContext, error: unknown, requestId: string): void {
  const { route } = ctx.state.exchange
  const refusal = refusalOf(error) ?? failure(route, ctx['params'] as JsonObject | undefined)
  const { status, body } = bodyOf(refusal, route, requestId)
  ctx.set(refusal.headers)
  // The route and its refusals in the reference.
  ctx.set('Link', `</docs${route ? `#${route.operationId}` : ''}>; rel="help"`)
  ctx.status = error instanceof ClientGone ? CLIENT_CLOSED_REQUEST : status
  ctx.body = body
}

/** On every answer to a valid key: where the log stands for this account, and what is left of its rate. */
async function setAccountHeaders(
  ctx: EdgeContext,
  { application, logger }: HttpOptionsOf<'status'>,
  positions: Positions,
): Promise<void> {
  const { principal, rate, position, requestId } = ctx.state.exchange
  if (rate) {
    const reset = Math.ceil(rate.resetMs / 1000)
    ctx.set('X-RateLimit-Limit', String(rate.limit))
    ctx.set('X-RateLimit-Remaining', String(rate.remaining))
    ctx.set('X-RateLimit-Reset', String(reset))
  }
  try {
    const at = position ?? application.status.position()
    ctx.set('X-Position', positions.seal(principal!.accountId, at))
  } catch (error) {
    logger.warn({ request_id: requestId, err: error }, 'the position is not known')
  }
}

function finish(ctx: EdgeContext, { logger, metrics }: HttpOptions, cause: unknown): void {
  const { exchange } = ctx.state
  const { route, principal, correlationId } = exchange
  const { method, status } = ctx
  const template = route?.path ?? 'unknown'
  const seconds = (performance.now() - exchange.startedAt) / 1000
  metrics?.requestFinished({ method, route: template, status, seconds })
  const fields = {
    request_id: requestIds.format(exchange.requestId),
    correlation_id: correlationId,
    method,
    route: template,
    status,
    ms: elapsed(exchange),
    account_id: principal?.accountId,
    key_id: principal?.keyId,
  }
  if (status >= 500) logger.error({ ...fields, err: cause }, 'request failed')
  else logger.info(fields, 'request')
}
