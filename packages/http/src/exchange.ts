import type { Principal, RateLimitState, RequestContext } from '@medialog/application'
import type { RouteContract } from '@medialog/contract/http'
import type { LogPosition, Money, Uuid } from '@medialog/kernel'
import type Koa from 'koa'

/** What is known of one request while it is answered. */
export interface Exchange {
  /** Without its prefix; made here, whatever the caller sent. */
  requestId: Uuid
  correlationId: string | undefined
  traceparent: string | undefined
  /** `performance.now()` at its start. */
  startedAt: number
  /** Null until the path is known to exist. */
  route: RouteContract | null
  principal: Principal | null
  rate: RateLimitState | null
  /** @throws Refusal where the caller allows less */
  requireCost?: (most: Money) => void
  /** What its command wrote; null where the answer has the log's head instead. */
  position: LogPosition | null
}

export interface EdgeState {
  exchange: Exchange
}
export type EdgeContext = Koa.ParameterizedContext<EdgeState>

/** What commands and queries receive of the request. */
export function requestContext({
  principal,
  requestId,
  correlationId,
  traceparent,
  requireCost,
}: Exchange): RequestContext {
  return { principal: principal!, requestId, correlationId, traceparent, requireCost }
}

/** Whose key the request has. */
export const accountOf = (ctx: EdgeContext): Uuid => ctx.state.exchange.principal!.accountId

export const elapsed = ({ startedAt }: Exchange): number =>
  Math.max(0, Math.round(performance.now() - startedAt))
