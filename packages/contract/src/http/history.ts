import { z } from 'zod'
import {
  count,
  defaulting,
  dollars,
  integerText,
  mediaId,
  mediaType,
  pageText,
  pagination,
  success,
  timestamp,
} from './common.ts'
import { route } from './route.ts'

const REQUEST = { example: 'req_0190d3c2-6f0e-7b1a-9c1d-2f6f5f0a7b11' }
const requestId = z.string().regex(/^req_/).meta(REQUEST)

const posting = z.strictObject({
  kind: z.enum(['credit', 'charge', 'refund']),
  id: z.string(),
  charge_id: z.string().optional().describe('Of a refund: what it pays back of.'),
  amount: dollars.describe('Signed: a charge is negative. Of an item, its part of what a batch was charged.'),
  lines: z.array(z.strictObject({ price: z.string(), amount: dollars })).describe('By price key.'),
})

const understanding = z.strictObject({
  embedder: z.string().describe('The model that its vectors are of.'),
  enricher: z
    .string()
    .optional()
    .describe('The method, with its version, or the model that described it.')
    .meta({ example: 'medialog-offline-3' }),
  hd_vectors: count.optional(),
  ld_vectors: count.optional(),
  duration_ms: z.number().min(0).optional(),
  warnings: z.array(z.string()).optional().describe('Of what is stored now: those of former ones are gone.'),
})

export const HistoryEntry = z
  .strictObject({
    at: timestamp,
    event: z.string().describe('Its type: see docs/architecture.md.').meta({ example: 'MediaIngested' }),
    event_id: z.string(),
    hash: z.string().describe('Of the event, in its stream’s chain.'),
    actor: z.string().describe('A key’s id, `operator` or `system`.'),
    request_id: requestId.optional(),
    correlation_id: z.string().optional().describe('The caller’s own X-Request-Id.'),
    operation: z.string().optional().describe('What was paid for.').meta({ example: 'upload' }),
    batch_id: z.string().optional(),
    job_id: z.string().optional(),
    media_ids: z.array(mediaId).describe('The items that it is about.'),
    filename: z.string().optional().describe('While the item is there: deleting it erases its name.'),
    media_type: mediaType.optional(),
    format: z.string().optional(),
    size_bytes: count.optional(),
    sha256: z.string().optional(),
    collection: z.string().optional(),
    understanding: understanding.optional(),
    posting: posting.optional(),
    cost: dollars.optional().describe('Of an answer: what its request cost.'),
    reason: z.string().optional().describe('Why it failed, was refunded or was deleted.'),
  })
  .meta({ id: 'HistoryEntry' })

const paged = z.strictObject({
  page: defaulting(pageText, 1),
  page_size: defaulting(integerText(1, 1000), 100),
})

/** What happened, from the log: see docs/audit.md. */
export const historyRoutes = {
  readMediaHistory: route({
    tag: 'Media',
    access: 'read',
    operationId: 'readMediaHistory',
    method: 'get',
    path: '/v1/media/{media_id}/history',
    summary: 'Everything that happened to an item, oldest first',
    invalid: 'INVALID_PARAMETER',
    description:
      'Uploads with what they were made with and cost, moves, answers that spoke of it, deletions. Of an erased item what erasing left.',
    params: z.strictObject({ media_id: mediaId }),
    query: paged,
    answer: z.strictObject({
      ...success,
      data: z.strictObject({
        media_id: mediaId,
        state: z
          .enum(['stored', 'deleted', 'absent'])
          .describe('`absent`: nothing of it was ever stored, or not yet.'),
        erased: z.boolean().describe('Whether what came before its last deletion is gone from the log.'),
        entries: z.array(HistoryEntry),
        pagination: pagination.extend({ has_next: z.boolean() }),
      }),
      timestamp,
    }),
    errors: ['RESOURCE_NOT_FOUND'],
  }),
  readRequest: route({
    tag: 'Account',
    access: 'read',
    operationId: 'readRequest',
    method: 'get',
    path: '/v1/requests/{request_id}',
    summary: 'Everything that one request caused',
    description:
      'By the X-Request-Id of its answer: events, postings, its batch and its items, whatever went on in the background included.',
    params: z.strictObject({ request_id: z.string().meta(REQUEST) }),
    query: paged,
    answer: z.strictObject({
      ...success,
      data: z.strictObject({
        request_id: requestId,
        first_at: timestamp,
        last_at: timestamp,
        batch_id: z.string().optional().describe('The batch that it made.'),
        charged: dollars,
        refunded: dollars,
        items: z.array(
          z.strictObject({
            media_id: mediaId,
            state: z.enum(['stored', 'absent']).describe('Whether it is there now.'),
            filename: z.string().optional(),
            collection: z.string().optional(),
          }),
        ),
        entries: z.array(HistoryEntry),
        pagination: pagination.extend({ has_next: z.boolean() }),
      }),
      timestamp,
    }),
    errors: ['RESOURCE_NOT_FOUND'],
  }),
}
