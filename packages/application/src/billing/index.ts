import type { RequestContext } from '../core/context.ts'
import { usageDiff, type UsageDiff } from './usage-diff.ts'
import { readUsage, type UsagePorts, type UsageQuery, type UsageReport } from './usage.ts'

export interface BillingUseCases {
  /** @throws InvalidInput where the range ends before it begins, AccountNotYetOpen */
  usage(context: RequestContext, query: UsageQuery): Promise<UsageReport>
  /** Usage at two moments, and what came in between. @throws InvalidInput where `to` is before `from` */
  usageDiff(context: RequestContext, query: { from: number; to: number }): Promise<UsageDiff>
}

export const billing = (ports: UsagePorts): BillingUseCases => ({
  usage: (context, query) => readUsage(ports, context, query),
  usageDiff: (context, query) => usageDiff(ports, context, query),
})
