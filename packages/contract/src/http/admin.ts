import { CAPABILITIES } from '@medialog/domain'
import { z } from 'zod'
import { capability, Key, paymentStatus, tier } from './account.ts'
import { Reprice } from './audit.ts'
import {
  accountParams,
  defaulting,
  dollars,
  instantText,
  integerText,
  json,
  pageText,
  pagination,
  success,
  timestamp,
  usdAmount,
} from './common.ts'
import { Erasure } from './erasures.ts'
import { route } from './route.ts'

const name = z.string().trim().min(1).max(200).meta({ pattern: '\\S', example: 'Acme' })
const keyParams = accountParams.extend({ key_id: z.string().meta({ example: '1a2b3c4d' }) })
const noQuery = z.strictObject({})

export const Account = z
  .strictObject({
    account_id: z.string(),
    name: z.string(),
    tier,
    balance: dollars.nullable().describe('Null where the ledger is damaged.'),
    payment_status: paymentStatus,
    created_at: timestamp,
  })
  .meta({ id: 'Account' })

const IssuedKey = z.strictObject({
  key_id: z.string(),
  api_key: z.string().meta({ description: 'Shown this once.', example: 'mlk_1a2b3c4d_…' }),
})

export const Operation = z
  .strictObject({
    operation_id: z.string(),
    kind: z.string(),
    parameters: z.record(z.string(), json),
    status: z.enum(['running', 'succeeded', 'failed']),
    progress: z.strictObject({ ratio: z.number().min(0).max(1), message: z.string() }),
    result: z.record(z.string(), json).nullable(),
    error: z.string().nullable(),
    started_at: timestamp,
    ended_at: timestamp.nullable(),
  })
  .meta({ id: 'Operation' })

const model = z.string().meta({ example: 'all-MiniLM-L6-v2-int8/onnxruntime-node' })

export const Embeddings = z
  .strictObject({
    embedder: z
      .strictObject({ model, dimensions: z.int(), cosine_floor: z.number() })
      .describe('The one that is configured: it embeds whatever is uploaded from now on.'),
    pending_items: z.int().describe('Items with vectors of another embedder.'),
    models: z
      .array(
        z.strictObject({
          model,
          items: z.int(),
          vectors: z.int().describe('Full-size ones.'),
          accounts: z.int(),
          found_by: z
            .enum(['meaning', 'words'])
            .describe(
              '`words`: this embedder is not to be had, so queries are not compared with its vectors.',
            ),
        }),
      )
      .describe('What is stored, by the embedder of its vectors.'),
  })
  .meta({ id: 'Embeddings' })

/** Named as the read models of the application: its own types hold the two together. */
const readModel = z.enum(['catalog', 'accounts', 'usage', 'work', 'batches', 'history'])

/** One variant a kind of long work, with its parameters. */
const StartOperation = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('projections-rebuild'), name: readModel }),
  z.strictObject({
    kind: z.literal('projections-verify'),
    name: readModel.optional().describe('All of them, unless one is named.'),
  }),
  z.strictObject({ kind: z.literal('log-verify') }),
  z.strictObject({ kind: z.literal('log-scavenge') }),
  z.strictObject({ kind: z.literal('log-scavenge-stop') }),
  z.strictObject({
    kind: z.literal('audit-verify'),
    checkpoint: z.string().max(10_000).describe('A signed note that was exported.').optional(),
  }),
  z.strictObject({
    kind: z.literal('audit-erasure'),
    erasure_id: z.string().max(100).describe('Of a receipt: every store is asked for what it names.'),
    receipt: z
      .string()
      .max(200_000)
      .describe(
        'The receipt’s note: of an erasure that the log does not have, since it was restored from before, what the note names is looked for.',
      )
      .optional(),
  }),
  z.strictObject({ kind: z.literal('embeddings-migrate') }),
  Reprice,
])

const answerOf = <D extends z.ZodType>(data: D) => z.strictObject({ ...success, data })
const operator = { tag: 'Operator', access: 'operator' } as const
const NO_ACCOUNT = ['ACCOUNT_NOT_FOUND'] as const

export const adminRoutes = {
  openAccount: route({
    ...operator,
    operationId: 'openAccount',
    method: 'post',
    path: '/admin/accounts',
    summary: 'Open an account',
    description:
      'An Idempotency-Key answers a repeat for a day with the account that the first request opened, and no credit is given twice.',
    query: noQuery,
    exactNumbers: true,
    body: z.strictObject({
      name,
      tier: tier.default('standard'),
      credit: usdAmount.default(0n).meta({ shownDefault: 0 }),
    }),
    answer: answerOf(Account),
    errors: ['IDEMPOTENCY_KEY_REUSED', 'REQUEST_IN_PROGRESS'],
  }),
  listAccounts: route({
    ...operator,
    operationId: 'listAccounts',
    method: 'get',
    path: '/admin/accounts',
    summary: 'List accounts, in the order in which they were opened',
    query: z.strictObject({
      page: defaulting(pageText, 1),
      page_size: defaulting(integerText(1, 100), 20),
    }),
    answer: answerOf(
      z.strictObject({
        accounts: z.array(Account),
        pagination: pagination.extend({ has_next: z.boolean() }),
      }),
    ),
  }),
  readAccount: route({
    ...operator,
    operationId: 'readAccount',
    method: 'get',
    path: '/admin/accounts/{account_id}',
    summary: 'Read an account',
    params: accountParams,
    query: noQuery,
    answer: answerOf(Account),
    errors: NO_ACCOUNT,
  }),
  creditAccount: route({
    ...operator,
    operationId: 'creditAccount',
    method: 'post',
    path: '/admin/accounts/{account_id}/credits',
    summary: 'Credit an account',
    description:
      'The same reference credits once, for ever, and never another amount. An Idempotency-Key answers a repeat with the first answer for a day; without a reference it is one.',
    params: accountParams,
    query: noQuery,
    exactNumbers: true,
    body: z.strictObject({
      amount: usdAmount.refine((value) => value > 0n, { error: 'must be more than 0' }),
      reference: name.optional().meta({ example: 'invoice 17' }),
    }),
    answer: answerOf(z.strictObject({ account_id: z.string(), balance: dollars })),
    errors: [
      'ACCOUNT_NOT_FOUND',
      'ACCOUNT_CLOSED',
      'CREDIT_REFERENCE_REUSED',
      'IDEMPOTENCY_KEY_REUSED',
      'REQUEST_IN_PROGRESS',
    ],
  }),
  changeTier: route({
    ...operator,
    operationId: 'changeTier',
    method: 'put',
    path: '/admin/accounts/{account_id}/tier',
    summary: 'Change an account’s tier',
    params: accountParams,
    query: noQuery,
    body: z.strictObject({ tier }),
    answer: answerOf(z.strictObject({ account_id: z.string(), tier })),
    errors: ['ACCOUNT_NOT_FOUND', 'ACCOUNT_CLOSED'],
  }),
  changeState: route({
    ...operator,
    operationId: 'changeState',
    method: 'put',
    path: '/admin/accounts/{account_id}/state',
    summary: 'Suspend an account, or take that back',
    params: accountParams,
    query: noQuery,
    body: z.strictObject({ state: z.enum(['active', 'suspended']) }),
    answer: answerOf(z.strictObject({ account_id: z.string(), payment_status: paymentStatus })),
    errors: ['ACCOUNT_NOT_FOUND', 'ACCOUNT_CLOSED'],
  }),
  closeAccount: route({
    ...operator,
    operationId: 'closeAccount',
    method: 'delete',
    path: '/admin/accounts/{account_id}',
    summary: 'Close an account and erase all of it but its ledger, for good',
    description:
      'Its keys work no more from then on. Erasing goes on after the answer: asked again, it answers how far that is.',
    params: accountParams,
    query: noQuery,
    answer: answerOf(
      z.strictObject({
        account_id: z.string(),
        payment_status: z.literal('closed'),
        balance: dollars
          .nullable()
          .describe('What was left of what had been credited; null where the ledger is damaged.'),
        erasure: Erasure,
      }),
    ),
    errors: NO_ACCOUNT,
  }),
  issueKey: route({
    ...operator,
    operationId: 'issueKey',
    method: 'post',
    path: '/admin/accounts/{account_id}/keys',
    summary: 'Issue an API key',
    params: accountParams,
    query: noQuery,
    bodyOptional: true,
    body: z.strictObject({
      label: z.string().trim().max(200).default(''),
      capabilities: z
        .array(capability)
        .transform((capabilities) => [...new Set(capabilities)])
        .default([...CAPABILITIES]),
      expires_at: instantText.nullish().describe('In the future; a key without one does not expire.'),
    }),
    answer: answerOf(IssuedKey),
    errors: ['ACCOUNT_NOT_FOUND', 'ACCOUNT_CLOSED'],
  }),
  listKeys: route({
    ...operator,
    operationId: 'listKeys',
    method: 'get',
    path: '/admin/accounts/{account_id}/keys',
    summary: 'List an account’s keys, without secrets',
    params: accountParams,
    query: noQuery,
    answer: answerOf(z.strictObject({ keys: z.array(Key) })),
    errors: NO_ACCOUNT,
  }),
  revokeKey: route({
    ...operator,
    operationId: 'revokeKey',
    method: 'delete',
    path: '/admin/accounts/{account_id}/keys/{key_id}',
    summary: 'Revoke a key',
    params: keyParams,
    query: noQuery,
    answer: answerOf(z.strictObject({ key_id: z.string(), revoked: z.literal(true) })),
    errors: ['ACCOUNT_NOT_FOUND', 'KEY_NOT_FOUND', 'ACCOUNT_CLOSED'],
  }),
  rotateKey: route({
    ...operator,
    operationId: 'rotateKey',
    method: 'post',
    path: '/admin/accounts/{account_id}/keys/{key_id}/rotate',
    summary: 'Give a key a new secret',
    params: keyParams,
    query: noQuery,
    bodyOptional: true,
    body: z.strictObject({
      grace_seconds: z
        .int()
        .min(0)
        .max(30 * 24 * 3600)
        .default(0)
        .describe('How long the old secret stays valid.'),
    }),
    answer: answerOf(IssuedKey.extend({ old_key_valid_until: timestamp })),
    errors: ['ACCOUNT_NOT_FOUND', 'KEY_NOT_FOUND', 'ACCOUNT_CLOSED'],
  }),
  readEmbeddings: route({
    ...operator,
    operationId: 'readEmbeddings',
    method: 'get',
    path: '/admin/embeddings',
    summary: 'What is stored of which embedder',
    description:
      'The operation `embeddings-migrate` gives every item vectors of the configured embedder, while the service goes on.',
    query: noQuery,
    answer: answerOf(Embeddings),
  }),
  startOperation: route({
    ...operator,
    operationId: 'startOperation',
    method: 'post',
    path: '/admin/operations',
    summary: 'Start long work inside the server',
    description: 'Answers at once; each kind has parameters of its own.',
    query: noQuery,
    exactNumbers: true,
    body: StartOperation,
    answer: answerOf(Operation),
    errors: ['OPERATION_RUNNING'],
  }),
  listOperations: route({
    ...operator,
    operationId: 'listOperations',
    method: 'get',
    path: '/admin/operations',
    summary: 'List operations, newest first',
    query: noQuery,
    answer: answerOf(z.strictObject({ operations: z.array(Operation) })),
  }),
  readOperation: route({
    ...operator,
    operationId: 'readOperation',
    method: 'get',
    path: '/admin/operations/{operation_id}',
    summary: 'Read an operation, or watch it',
    description:
      'With `Accept: text/event-stream` every change follows as an event named `operation`, the current state first, until it has ended.',
    params: z.strictObject({
      operation_id: z.string().meta({ example: '0190d3c2-7a1b-7c2d-8e3f-4a5b6c7d8e9f' }),
    }),
    query: noQuery,
    answer: answerOf(Operation),
    events: Operation,
    errors: ['RESOURCE_NOT_FOUND'],
  }),
}
