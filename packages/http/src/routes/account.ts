import type { Health, UsageReport } from '@medialog/application'
import { API_VERSION, errorKind } from '@medialog/contract/http'
import { counted, isoTime, requestId as requestIds, toUsdNumber, type Money } from '@medialog/kernel'
import { elapsed, requestContext, type Exchange } from '../exchange.ts'
import type { HttpOptionsOf } from '../options.ts'
import type { Handlers } from '../route.ts'
import { keyView } from '../views/key.ts'

/** The default range of a usage query. */
export const USAGE_WINDOW_MS = 7 * 24 * 60 * 60 * 1000
const BYTES_PER_GB = 1_000_000_000
/** When a critical service is worth asking again. */
const RETRY_CRITICAL_SECONDS = 10

export function accountHandlers({
  application: { accounts, billing, status },
  clock,
  environment,
  datacenter = 'local',
  sandbox,
  release: { version, commit, builtAt },
}: HttpOptionsOf<'accounts' | 'billing' | 'status'>): Handlers<'readStatus' | 'listOwnKeys' | 'readUsage'> {
  return {
    async readStatus({ ctx }) {
      const { exchange } = ctx.state
      const health = await status.health()
      const data = statusData(exchange, health, clock.now())
      const software = { version, commit, built_at: builtAt }
      const metadata = { software, environment, datacenter, sandbox }
      if (health.status !== 'critical') return { message: `The service is ${health.status}.`, data, metadata }
      const { status: code, suggestion } = errorKind('SERVICE_UNAVAILABLE')
      ctx.status = code
      ctx.set('Retry-After', String(RETRY_CRITICAL_SECONDS))
      ctx.body = {
        success: false,
        message: 'The service is critical.',
        code: 'service_unavailable',
        status_code: code,
        details: { request_id: requestIds.format(exchange.requestId) },
        suggestion,
        data,
        metadata,
      }
      return undefined
    },

    async listOwnKeys({ ctx }) {
      const { principal } = ctx.state.exchange
      const keys = await accounts.keys(ctx.state.exchange.principal!.accountId)
      const now = clock.now()
      return {
        message: `${counted(keys.length, 'key')}.`,
        data: {
          keys: keys.map((key) => ({ ...keyView(key, now), is_used: key.keyId === principal!.keyId })),
        },
      }
    },

    async readUsage({ ctx, query }) {
      const { group_by: groupBy, detailed } = query
      const now = clock.now()
      // The future is not known: it is as now.
      const asOf = query.as_of && Math.min(query.as_of, now)
      const to = Math.min(query.end_time ?? now, asOf ?? Infinity)
      const from = query.start_time ?? to - USAGE_WINDOW_MS
      const report = await billing.usage(requestContext(ctx.state.exchange), {
        from,
        to,
        groupBy,
        detailed,
        // The moment itself belongs to what is asked for, unless that ends there.
        ...(asOf !== undefined && { asOf, endsAtAsOf: query.end_time === asOf }),
      })
      return {
        message: 'Usage retrieved.',
        data: usageData(report),
        metadata: {
          time_range: { start: isoTime(from), end: isoTime(to), group_by: groupBy },
          api_version: API_VERSION,
          detailed,
          cache_ttl: 0,
          ...(asOf !== undefined && { as_of: isoTime(asOf) }),
        },
      }
    },
  }
}

function statusData(exchange: Exchange, { status, components, limitations, providers }: Health, now: number) {
  const { tier, capabilities } = exchange.principal!
  const { limit, remaining, resetMs } = exchange.rate!
  const affected = Object.entries(components).filter(([, state]) => state !== 'operational')
  return {
    status,
    version: API_VERSION,
    timestamp: isoTime(now),
    components,
    account: {
      tier,
      capabilities: [...capabilities],
      rate_limits: { limit, remaining, reset_time: isoTime(now + Math.ceil(resetMs)) },
    },
    performance: { response_time_ms: elapsed(exchange) },
    providers: providers.map(({ use, model, breaker, trouble }) => ({ use, model, breaker, trouble })),
    ...(affected.length > 0 && {
      notice: {
        type: 'incident',
        message: [
          ...affected.map(([component, state]) => `${component} is ${state}`),
          ...Object.values(limitations),
        ].join(', '),
      },
    }),
  }
}

const toDollars = (amounts: ReadonlyMap<string, Money>): { [key: string]: number } =>
  Object.fromEntries([...amounts].map(([key, amount]) => [key, toUsdNumber(amount)]))

function usageData(report: UsageReport) {
  const { account, balance, lastChargeAt, costs, prices, detail } = report
  const { stored, quota } = report.storage
  return {
    account_info: {
      balance: toUsdNumber(balance),
      tier: account.tier,
      ...(lastChargeAt !== null && { last_billing_date: isoTime(lastChargeAt) }),
      payment_status: account.status,
      user_id: account.accountId,
    },
    billing_summary: {
      current_balance: toUsdNumber(balance),
      usage_costs: toDollars(costs),
      pricing: toDollars(prices),
    },
    storage_usage: {
      total: {
        quota_limit: quota,
        ...(stored && {
          vectors: stored.vectors,
          size_gb: stored.bytes / BYTES_PER_GB,
          quota_used_percent: quota === 0 ? 100 : (stored.vectors * 100) / quota,
        }),
      },
    },
    ...(detail && { detailed_metrics: detailData(detail) }),
  }
}

const detailData = ({ trends, before, balances, transactions }: NonNullable<UsageReport['detail']>) => ({
  usage_trends: Object.fromEntries([...trends].map(([key, buckets]) => [key, toDollars(buckets)])),
  opening_balance: toUsdNumber(before),
  balance_trend: toDollars(balances),
  recent_transactions: transactions.map(({ at, type, amount }) => ({
    timestamp: isoTime(at),
    type,
    amount: toUsdNumber(amount),
    status: 'completed' as const,
  })),
})
