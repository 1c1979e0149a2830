import { isPriceKey, PRICE_KEYS, type PriceKey } from '@medialog/domain'
import { isoTime, toUsdNumber } from '@medialog/kernel'
import { z } from 'zod'
import { paymentStatus, tier } from './account.ts'
import {
  accountParams,
  count,
  defaulting,
  dollars,
  instantText,
  integerText,
  pageText,
  pagination,
  success,
  timestamp,
  usdAmount,
} from './common.ts'
import { route } from './route.ts'

const month = z
  .string()
  .regex(/^2\d{3}-(?:0[1-9]|1[0-2])$/, { error: 'must be a month like 2026-11' })
  .meta({ description: 'UTC.', example: '2026-11' })
const position = count.optional().describe('In the log of all accounts: told to the operator alone.')
const revision = count.describe('Its place in the ledger.')
const priceMap = z.record(z.string(), dollars)
const cause = {
  operation: z.string().optional().meta({ example: 'upload' }),
  request_id: z.string().optional(),
  job_id: z.string().optional(),
  batch_id: z.string().optional(),
  media_id: z.string().optional(),
  filename: z.string().optional().describe('While it is known: deleting an item erases it.'),
  files: count.optional().describe('How many files it is about.'),
  reference: z.string().optional().describe('Of a credit as it was given; of a refund the reason.'),
  actor: z.string().describe('A key’s id, `operator` or `system`.'),
  correlation_id: z.string().optional().describe('The caller’s own X-Request-Id.'),
}

/** In numbers or, where they are to be exact whatever reads them, in decimal text. */
const postingOf = <Amount extends z.ZodType>(amount: Amount) => ({
  revision,
  at: timestamp,
  kind: z.enum(['credit', 'charge', 'refund']),
  id: z.string(),
  charge_id: z.string().optional().describe('Of a refund: what it pays back of.'),
  amount: amount.describe('Signed: a charge is negative.'),
  balance: amount.describe('Right after it.'),
  lines: z.array(z.strictObject({ price: z.string(), amount })).describe('What it is for, by price key.'),
  cause: z.strictObject(cause),
})

export const Posting = z
  .strictObject({
    ...postingOf(dollars),
    position,
    event_id: z.string(),
    hash: z.string().describe('Of its event, in the ledger’s chain.'),
  })
  .meta({ id: 'Posting' })

export const Proof = z
  .strictObject({
    holds: z.boolean().describe('Whether every line does.'),
    lines: z.array(
      z.strictObject({
        name: z.enum(['sequence', 'sums', 'refunds', 'books', 'batches', 'postings', 'costs']),
        statement: z.string(),
        holds: z.boolean().nullable().describe('Null: it could not be looked at.'),
        trouble: z.string().optional().describe('Why it could not.'),
        checked: count.describe('Events, postings, refunds, months, batches or price keys.'),
        fault_count: count,
        faults: z
          .array(
            z.strictObject({
              revision: revision.optional(),
              position,
              subject: z.string().describe('Posting, batch, month or price key.'),
              reason: z.string(),
            }),
          )
          .describe('The first of them.'),
      }),
    ),
  })
  .meta({ id: 'Proof' })

const report = {
  account_id: z.string(),
  range: z
    .strictObject({ from: timestamp.nullable(), until: timestamp.nullable() })
    .describe('Null: from the beginning, up to now. `until` itself is not in it.'),
  opening_balance: dollars,
  closing_balance: dollars,
  totals: z.strictObject({ credited: dollars, charged: dollars, refunded: dollars }),
  costs: priceMap.describe('Of the range, charges net of refunds by price key.'),
  books: z
    .array(z.strictObject({ into: month, balance: dollars, revision, position }))
    .describe('Each month whose books were opened, and the balance that was carried over into it.'),
  open_charges: z
    .strictObject({
      count,
      amount: dollars.describe('What is left of them.'),
      first: z.array(
        z.strictObject({
          charge_id: z.string(),
          at: timestamp,
          operation: z.string(),
          amount: dollars,
          left: dollars,
        }),
      ),
    })
    .describe('Neither settled nor wholly refunded at the end.'),
  proof: Proof,
}

export const LedgerReport = z.strictObject(report).meta({ id: 'LedgerReport' })

/** A line of the ledger as it is streamed: the postings, then what they come to. */
export const LedgerLine = z.union([
  z.strictObject({ posting: Posting }),
  z.strictObject({ report: LedgerReport }),
])

const decimal = z
  .string()
  .regex(/^-?\d+(?:\.\d{1,9})?$/)
  .meta({ description: 'USD in decimals, exact.', example: '0.04' })

export const Statement = z
  .strictObject({
    account_id: z.string(),
    account_name: z.string(),
    month,
    from: timestamp,
    until: timestamp,
    made_at: timestamp,
    final: z.boolean().describe('Whether nothing can be posted in the month any more.'),
    opening_balance: decimal,
    credited: decimal,
    charged: decimal,
    refunded: decimal,
    closing_balance: decimal,
    costs: z.record(z.string(), decimal).describe('Charges net of refunds, by price key.'),
    open_charges: z.strictObject({ count, amount: decimal }),
    ledger: z
      .strictObject({
        stream: z.string(),
        revision,
        hash: z.string().describe('It covers every event of the ledger up to this one.'),
        checkpoint: z
          .string()
          .nullable()
          .describe('A signed note that covers it; null before the first: see `/v1/audit/ledger/proof`.'),
      })
      .nullable()
      .describe('Its last event, by which the ledger’s proof covers the statement; null without events.'),
    proof: Proof,
    postings: z.array(z.strictObject(postingOf(decimal))),
  })
  .meta({ id: 'Statement' })

const FORMATS = ['json', 'csv', 'html'] as const

const ledgerQuery = z
  .strictObject({
    from: instantText.optional().describe('Shows postings from then on; the proof is of all before, too.'),
    until: instantText.optional().describe('The history ends before it.'),
    month: month
      .optional()
      .describe('Stands for its first moment as `from` and the next month’s as `until`.'),
    as_of: instantText.optional().describe('The history as it was then, that moment included.'),
    page: defaulting(pageText, 1),
    page_size: defaulting(integerText(1, 1000), 100),
  })
  .superRefine(({ from, until, month }, check) => {
    const issue = (parameter: string, message: string, input: unknown) =>
      check.addIssue({ code: 'custom', path: [parameter], message, input })
    if (month !== undefined && (from !== undefined || until !== undefined))
      issue('month', 'cannot be given together with from or until', month)
    if (from !== undefined && until !== undefined && from > until)
      issue('from', 'must not be after until', from)
  })
const statementQuery = z.strictObject({
  month: month.optional().describe('The current one unless given.'),
  format: z
    .enum(FORMATS)
    .optional()
    .describe(
      '`html` is a page to print. Without it `Accept` decides: `application/json` unless it names another first.',
    ),
})

const ledger = {
  method: 'get',
  description:
    'Added up from the events alone, from the first on; the read model is only compared. With `Accept: application/x-ndjson` all postings come as lines of JSON, one object each, and what they come to as the last one; `page` and `page_size` then mean nothing.',
  query: ledgerQuery,
  answer: z.strictObject({
    ...success,
    data: z.strictObject({
      ...report,
      postings: z.array(Posting),
      pagination: pagination.extend({ has_next: z.boolean() }),
    }),
    timestamp,
  }),
  also: [
    { contentType: 'application/x-ndjson', description: 'Postings, then the report.', line: LedgerLine },
  ],
} as const

const statement = {
  method: 'get',
  query: statementQuery,
  answer: z.strictObject({ ...success, data: Statement, timestamp }),
  also: [
    {
      contentType: 'text/csv',
      description:
        'A head and a row for each posting, with account, month, totals and proof in each (RFC 4180).',
    },
    { contentType: 'text/html', description: 'A page without outside resources.' },
  ],
} as const

const moment = z.strictObject({
  at: timestamp,
  balance: dollars,
  tier: tier.optional().describe('Absent before the account was opened, as the state.'),
  payment_status: paymentStatus.optional(),
  usage_costs: priceMap.describe('Since the account was opened.'),
})

const operator = { tag: 'Operator', access: 'operator' } as const
const account = { tag: 'Account', access: 'read' } as const

export const auditRoutes = {
  readLedger: route({
    ...account,
    ...ledger,
    operationId: 'readLedger',
    path: '/v1/audit/ledger',
    summary: 'Every posting with its cause, and the proof',
  }),
  readStatement: route({
    ...account,
    ...statement,
    operationId: 'readStatement',
    path: '/v1/audit/statement',
    summary: 'The statement of a month',
    errors: ['ACCOUNT_NOT_FOUND'],
  }),
  readUsageDiff: route({
    ...account,
    operationId: 'readUsageDiff',
    method: 'get',
    path: '/v1/usage/diff',
    summary: 'Usage at two moments, and what came in between',
    shape: 'B',
    renamed: { ACCOUNT_NOT_FOUND: 'RESOURCE_NOT_FOUND' },
    query: z.strictObject({
      from: instantText.optional().describe('Not after `to`; 7 days before it unless given.'),
      to: instantText.optional().describe('Now, unless given.'),
    }),
    answer: z.strictObject({
      ...success,
      data: z.strictObject({
        from: moment,
        to: moment,
        difference: z.strictObject({ balance: dollars, usage_costs: priceMap }),
      }),
      metadata: z.strictObject({ api_version: z.literal('1.0.0') }),
    }),
    errors: ['RESOURCE_NOT_FOUND'],
  }),
  readAccountLedger: route({
    ...operator,
    ...ledger,
    operationId: 'readAccountLedger',
    path: '/admin/accounts/{account_id}/ledger',
    summary: 'An account’s ledger, as it can read it itself',
    params: accountParams,
    errors: ['ACCOUNT_NOT_FOUND'],
  }),
  readAccountStatement: route({
    ...operator,
    ...statement,
    operationId: 'readAccountStatement',
    path: '/admin/accounts/{account_id}/statement',
    summary: 'An account’s statement of a month',
    params: accountParams,
    errors: ['ACCOUNT_NOT_FOUND'],
  }),
}

/** One that a number holds, since it is shown among the parameters. */
const price = usdAmount
  .transform(toUsdNumber)
  .refine((shown) => typeof shown === 'number', { error: 'must be an amount of USD that a number holds' })

/** The parameters of `audit-reprice`: what history would have cost under other prices. */
export const Reprice = z.strictObject({
  kind: z.literal('audit-reprice'),
  prices: z
    .record(z.string(), price)
    .superRefine((prices, check) => {
      const keys = Object.keys(prices)
      if (keys.length === 0) check.addIssue({ code: 'custom', message: 'must name a price', input: prices })
      for (const key of keys)
        if (!isPriceKey(key))
          check.addIssue({
            code: 'custom',
            path: [key],
            message: `is no price key: these are ${PRICE_KEYS.join(', ')}`,
            input: prices,
          })
    })
    .transform((prices): { [key in PriceKey]?: number } => prices)
    .meta({
      description: 'USD by price key; those that are not named stay as they are.',
      example: { DOCUMENT_PROCESSING: 0.02 },
    }),
  from: instantText.transform(isoTime).optional().describe('Charges made from then on.'),
  to: instantText.transform(isoTime).optional().describe('And before then.'),
  account_id: z.string().optional().describe('Of one account alone.'),
})
