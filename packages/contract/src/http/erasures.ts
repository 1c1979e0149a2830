import { z } from 'zod'
import { booleanText, count, defaulting, mediaId, success, timestamp } from './common.ts'
import { route } from './route.ts'

const hex = z
  .string()
  .regex(/^[0-9a-f]{64}$/)
  .meta({ example: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08' })
const erasureId = z
  .string()
  .regex(/^erasure_/)
  .meta({ example: 'erasure_0190d3c2-7a1b-7c2d-8e3f-4a5b6c7d8e9f' })

/** What the note of a receipt holds, and says again beside it for whoever only reads. */
const Receipt = z
  .strictObject({
    erasure_id: erasureId,
    account_id: z.string(),
    subject: z.strictObject({
      kind: z.enum(['items', 'collection', 'account']),
      collection: z.string().optional(),
    }),
    requested_at: timestamp,
    erased_at: timestamp,
    ingests: count,
    digest: hex.describe('SHA-256 over the ids of the ingests, sorted, a line each.'),
    items: z.array(
      z.strictObject({
        media_id: mediaId,
        ingest_id: z.string(),
        sha256: hex.describe('Of the file.'),
        artifacts: z.record(z.string(), hex).describe('SHA-256 of what was kept of it, by name.'),
      }),
    ),
    stores: z.array(
      z.strictObject({
        store: z.string(),
        how: z.string().describe('How it was erased there, and what stays.'),
      }),
    ),
    event: z
      .strictObject({ stream: z.string(), revision: count, hash: hex })
      .describe('Says in the log that it is done; its place there can be proven.'),
  })
  .meta({ id: 'ErasureReceipt' })

export const Erasure = z
  .strictObject({
    erasure_id: erasureId,
    status: z.enum(['pending', 'erased']),
    requested_at: timestamp,
    ingests: count.describe('Named so far. Those of a collection are named as they are erased.'),
    receipt: Receipt.nullable().describe('Null while it is pending.'),
    note: z
      .string()
      .nullable()
      .describe(
        'A signed note that holds the receipt, signed as checkpoints are. Null while it is pending, and where processes share the log.',
      ),
    key: z.string().nullable().describe('The public key that proves it.'),
  })
  .meta({ id: 'Erasure' })

/** In the query string of what deletes. */
export const receiptAsked = {
  receipt: defaulting(booleanText, false).describe(
    'Wait for the bytes to be erased, a few seconds at most, and answer with a signed receipt.',
  ),
}

/** In the data of what deletes. */
export const erasureAnswered = {
  erasure: Erasure.optional().describe('Where a receipt was asked for.'),
}

const params = z.strictObject({
  erasure_id: z.string().max(100).meta({ example: 'erasure_0190d3c2-7a1b-7c2d-8e3f-4a5b6c7d8e9f' }),
})
const answer = z.strictObject({ ...success, data: Erasure })

/** Receipts of what was erased, see docs/audit.md. */
export const erasureRoutes = {
  readErasure: route({
    operationId: 'readErasure',
    method: 'get',
    path: '/v1/erasures/{erasure_id}',
    tag: 'Media',
    summary: 'What became of an erasure, with its receipt',
    access: 'read',
    params,
    query: z.strictObject({}),
    answer,
    errors: ['RESOURCE_NOT_FOUND'],
  }),
  readAnyErasure: route({
    operationId: 'readAnyErasure',
    method: 'get',
    path: '/admin/erasures/{erasure_id}',
    tag: 'Operator',
    summary: 'The same of any account, a closed one too',
    access: 'operator',
    params,
    query: z.strictObject({}),
    answer,
    errors: ['RESOURCE_NOT_FOUND'],
  }),
}
