import { ok, refusedB, TIME, type Routes, type State } from './wire.ts'

/** Usage and status. */
export const accountRoutes = ({ account }: State): Routes => [
  [
    'GET',
    /^\/v1\/usage$/,
    ({ query }) =>
      query.get('start_time') === '2000-01-01'
        ? refusedB(404, 'resource_not_found', 'There is no such account.')
        : ok({
            account_info: {
              balance: account.balance,
              tier: 'standard',
              last_billing_date: null,
              payment_status: account.payment_status,
              user_id: 'u',
            },
            billing_summary: {
              current_balance: account.balance,
              usage_costs: { DOCUMENT_PROCESSING: 0.1, VECTOR_PROCESSING: 0.2, BASIC_SEARCH: 0 },
              pricing: { DOCUMENT_PROCESSING: 0.03, VECTOR_PROCESSING: 0.01, BASIC_SEARCH: 0 },
            },
            storage_usage: {
              total: { vectors: 3, size_gb: 0.001, quota_limit: 1_000_000, quota_used_percent: 0 },
            },
            ...(query.get('detailed') === 'true' && {
              detailed_metrics: {
                usage_trends: { DOCUMENT_PROCESSING: { '2026-11-20': 0.1 } },
                opening_balance: 10,
                balance_trend: { '2026-11-20': account.balance },
                recent_transactions: [
                  { timestamp: TIME, type: 'charge', amount: -0.04, status: 'completed' },
                ],
              },
            }),
          }),
  ],
  [
    'GET',
    /^\/v1\/status$/,
    () =>
      ok({
        status: 'operational',
        version: '1.0.0',
        timestamp: TIME,
        components: { api: 'operational', storage: 'operational', search: 'operational' },
        account: {
          tier: 'standard',
          capabilities: ['read'],
          rate_limits: { remaining: 599, limit: 600, reset_time: TIME },
        },
        performance: { response_time_ms: 2 },
      }),
  ],
]
