import { CAPABILITIES, TIERS } from '@medialog/domain'
import { z } from 'zod'
import { booleanText, count, defaulting, dollars, instantText, success, timestamp } from './common.ts'
import { ErrorB } from './errors.ts'
import { route } from './route.ts'

export const tier = z.enum(TIERS)
export const capability = z.enum(CAPABILITIES)
export const paymentStatus = z.enum(['active', 'suspended', 'closed'])

const priceMap = z.record(z.string(), dollars)
const componentState = z.enum(['operational', 'degraded', 'unavailable'])
const groupBy = z.enum(['day', 'hour', 'month'])

const ServiceStatus = z
  .strictObject({
    status: z.enum(['operational', 'degraded', 'critical']),
    version: z.string().describe('Of the API; the software’s is in `/healthz`.'),
    timestamp,
    components: z.strictObject({
      api: componentState,
      storage: componentState,
      search: componentState,
      artifacts: componentState
        .optional()
        .describe('Object storage that texts and vectors are kept in; only where one is configured.'),
      limits: componentState
        .optional()
        .describe(
          'What counts requests for all processes; only where one is configured. `degraded`: each counts for itself.',
        ),
      publisher: componentState
        .optional()
        .describe('What publishes events to a broker; only where one is configured.'),
      webhooks: componentState
        .optional()
        .describe('What sends events to webhooks; only while something is wrong with it.'),
    }),
    account: z.strictObject({
      tier,
      capabilities: z.array(capability),
      rate_limits: z.strictObject({ limit: count, remaining: count, reset_time: timestamp }),
    }),
    performance: z.strictObject({ response_time_ms: count }),
    providers: z
      .array(
        z.strictObject({
          use: z.string().meta({ example: 'enrichment' }),
          model: z.string().meta({ example: 'openai:gpt-5-mini' }),
          breaker: z
            .enum(['closed', 'open', 'half-open'])
            .describe('`open`: the model failed repeatedly and is not asked for a while.'),
          trouble: z.string().nullable().describe('Why its last call gave nothing; null where it did.'),
        }),
      )
      .describe('Models of providers that are configured; none: everything is made offline.'),
    notice: z
      .strictObject({
        type: z.string(),
        message: z.string(),
        estimated_completion: timestamp.optional(),
      })
      .optional(),
  })
  .meta({ id: 'ServiceStatus' })
const statusMetadata = z.strictObject({
  software: z
    .strictObject({
      version: z.string().meta({ example: '0.2.0' }),
      commit: z.string().nullable().describe('40 hexadecimal digits; null where it is not known.'),
      built_at: z.string().nullable().describe('When the image was built; null outside one.'),
    })
    .describe('Which release answers; `version` is the API’s.'),
  environment: z.string(),
  datacenter: z.string(),
  sandbox: z.string().meta({
    description: 'By what the kernel confines the processes that read files; `none`: by nothing.',
    example: 'Landlock 7, seccomp',
  }),
})

/** What `/v1/status` answers with 503 when the service is critical: an error that still carries its data. */
export const CriticalStatus = ErrorB.extend({ data: ServiceStatus, metadata: statusMetadata }).meta({
  id: 'CriticalStatus',
})

const key = {
  key_id: z.string().meta({ example: '1a2b3c4d' }),
  label: z.string(),
  capabilities: z.array(capability),
  created_at: timestamp,
  expires_at: timestamp.nullable(),
  old_key_valid_until: timestamp.nullable().describe('While a replaced secret is still valid.'),
  revoked: z.boolean(),
}

export const Key = z.strictObject(key).meta({ id: 'Key' })

const OwnKey = z
  .strictObject({ ...key, is_used: z.boolean().describe('Whether this request was made with it.') })
  .meta({ id: 'OwnKey' })

export const accountRoutes = {
  readStatus: route({
    operationId: 'readStatus',
    method: 'get',
    path: '/v1/status',
    tag: 'Account',
    summary: 'How the service is, and what the key may do',
    description: 'Answers 503 with the same data when the status is critical.',
    access: 'read',
    shape: 'B',
    failure: 'INTERNAL_ERROR',
    query: z.strictObject({}),
    answer: z.strictObject({ ...success, data: ServiceStatus, metadata: statusMetadata }),
  }),

  listOwnKeys: route({
    operationId: 'listOwnKeys',
    method: 'get',
    path: '/v1/keys',
    tag: 'Account',
    summary: 'List the account’s keys, without secrets',
    description: 'The operator issues, replaces and revokes them.',
    access: 'read',
    query: z.strictObject({}),
    answer: z.strictObject({ ...success, data: z.strictObject({ keys: z.array(OwnKey) }) }),
  }),

  readUsage: route({
    operationId: 'readUsage',
    method: 'get',
    path: '/v1/usage',
    tag: 'Account',
    summary: 'Balance, costs and storage',
    access: 'read',
    shape: 'B',
    renamed: { ACCOUNT_NOT_FOUND: 'RESOURCE_NOT_FOUND' },
    query: z.strictObject({
      start_time: instantText.optional().describe('Not after end_time; 7 days before it unless given.'),
      end_time: instantText.optional().describe('Now or as_of, unless given; never after as_of.'),
      group_by: groupBy.default('day'),
      detailed: defaulting(booleanText, false),
      as_of: instantText
        .optional()
        .describe('Answers from the history as it was then: balance, costs, postings, tier and state.'),
    }),
    answer: z.strictObject({
      ...success,
      data: z.strictObject({
        account_info: z.strictObject({
          balance: dollars,
          tier,
          last_billing_date: timestamp.optional().describe('Of the last charge; absent before the first.'),
          payment_status: paymentStatus,
          user_id: z.string(),
        }),
        billing_summary: z.strictObject({
          current_balance: dollars,
          usage_costs: priceMap,
          pricing: priceMap,
        }),
        storage_usage: z.strictObject({
          total: z.strictObject({
            vectors: count.optional().describe('Absent with `as_of`, as the two below.'),
            size_gb: z.number().min(0).optional(),
            quota_limit: count.describe('Of the tier.'),
            quota_used_percent: z.number().min(0).optional(),
          }),
        }),
        detailed_metrics: z
          .strictObject({
            usage_trends: z.record(z.string(), priceMap),
            opening_balance: dollars.describe('Right before the range.'),
            balance_trend: priceMap.describe('At the end of each bucket in which anything was posted.'),
            recent_transactions: z.array(
              z.strictObject({
                timestamp,
                type: z.enum(['charge', 'refund', 'credit']),
                amount: dollars.describe('Signed: a charge is negative.'),
                status: z.literal('completed'),
              }),
            ),
          })
          .optional(),
      }),
      metadata: z.strictObject({
        time_range: z.strictObject({ start: timestamp, end: timestamp, group_by: groupBy }),
        api_version: z.literal('1.0.0'),
        detailed: z.boolean(),
        cache_ttl: count.describe('Seconds.'),
        as_of: timestamp.optional(),
      }),
    }),
    errors: ['RESOURCE_NOT_FOUND'],
  }),
}
