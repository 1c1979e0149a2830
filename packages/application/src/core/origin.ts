import type { Origin } from '../event-sourcing/executing.ts'
import type { OperatorContext, RequestContext } from './context.ts'

/** What events say of who and what caused them; what is not known is left out. */
export const originFrom = ({ actor, accountId, requestId, correlationId, traceparent }: Origin): Origin => ({
  actor,
  ...(accountId && { accountId }),
  ...(requestId && { requestId }),
  ...(correlationId && { correlationId }),
  ...(traceparent && { traceparent }),
})

/** What events that a request causes say of it. */
export const originOf = ({ principal, ...request }: RequestContext): Origin =>
  originFrom({ ...request, actor: principal.keyId, accountId: principal.accountId })

/** Without an account: what is about the service as a whole. */
export const operatorOrigin = (context: OperatorContext, accountId?: string): Origin =>
  originFrom({ ...context, actor: 'operator', ...(accountId !== undefined && { accountId }) })
