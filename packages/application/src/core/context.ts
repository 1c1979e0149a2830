import type { Capability, PaymentStatus, Tier } from '@medialog/domain'
import type { Money, Uuid } from '@medialog/kernel'

/** The owner of the API key of a request. */
export interface Principal {
  accountId: Uuid
  keyId: string
  capabilities: readonly Capability[]
  tier: Tier
  status: PaymentStatus
}

/** One request: what every command and query is done for. */
export interface RequestContext {
  principal: Principal
  requestId: Uuid
  /** The caller's own X-Request-Id. */
  correlationId?: string
  traceparent?: string
  /** Asked before anything is charged, with the most that it can cost. @throws where the caller allows less */
  requireCost?: (most: Money) => void
}

/** A request of the operator's side, which acts on any account. */
export type OperatorContext = Omit<RequestContext, 'principal' | 'requireCost'>
