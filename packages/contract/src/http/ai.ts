import { z } from 'zod'
import { count, dollars, json, mediaId, mediaType, ratio, saidAt, success, timestamp } from './common.ts'
import { route } from './route.ts'
import { searchedCollections } from './search.ts'

/** Enough for 100 000 tokens of any language, small enough to be held in memory. */
const MOST_BODY_BYTES = 4 * 1024 * 1024

const query = z
  .string()
  .regex(/\S/, { error: 'must not be blank' })
  .meta({ example: 'When did the bridge open?' })

/** Absent and blank are one refusal; a query of another type is a wrong form. */
const missingQuery = ({ path, code, input }: z.core.$ZodIssue): 'MISSING_QUERY' | undefined =>
  path.length === 1 && path[0] === 'query' && (input === undefined || code === 'invalid_format')
    ? 'MISSING_QUERY'
    : undefined

export const AskRequest = z
  .strictObject({
    query: query.meta({ minLength: 1, example: 'What is kept of a file?' }),
    media_id: z
      .string()
      .regex(/^vec-/, { error: 'must start with vec-' })
      .meta({
        description: 'Grounds the answer in that item: `vec-` and its UUID.',
      })
      .optional(),
    collections: searchedCollections
      .optional()
      .describe('Answers from items in these collections only. Not together with media_id.'),
    temperature: ratio.default(0.7),
    max_tokens: z.int().min(1).max(4096).default(1024).describe('The answer has at most so many tokens.'),
    system_prompt: z.string().optional().describe('Instructions for the model.'),
    context: z
      .string()
      .optional()
      .describe(
        'Prior conversation or extra information, by which the question is understood; no answer quotes it as evidence. The caller keeps the history.',
      ),
    stream: z.boolean().default(false).describe('The same as server-sent events.'),
  })
  .superRefine(({ media_id: mediaId, collections }, check) => {
    if (mediaId !== undefined && collections !== undefined)
      check.addIssue({
        code: 'custom',
        path: ['collections'],
        message: 'cannot be given together with media_id',
        input: collections,
      })
  })
  .meta({ id: 'AskRequest' })

export const AnswerSource = z
  .strictObject({
    media_id: mediaId,
    filename: z.string(),
    collection: z.string().describe('That the item is in.'),
    title: z.string().nullable().describe('As the file states it.'),
    chunk: count.describe('Which passage of the item; 0 is its head.'),
    text: z.string(),
    time: saidAt.optional(),
    revision: count.describe('Of the item, when it was read.'),
  })
  .meta({ id: 'AnswerSource' })

export const AnswerBilling = z
  .strictObject({
    total_cost: dollars,
    base_fee: dollars,
    token_charges: dollars,
    usage: z.strictObject({
      context_tokens: count,
      response_tokens: count,
      total_tokens: count,
      processing_time_ms: count,
    }),
    pricing_tier: z.enum(['minimum', 'standard']),
  })
  .meta({ id: 'AnswerBilling' })

const answerContext = {
  request: z.strictObject({
    query: z.string(),
    temperature: ratio,
    max_tokens: z.int(),
    disclaimer: z.string(),
  }),
  media_context: z
    .strictObject({ media_id: mediaId, media_type: mediaType, collection: z.string(), created_at: timestamp })
    .optional(),
}
const answerMetadata = z.strictObject({ request_id: z.string(), model: z.string(), api_version: z.string() })

/** The data of each event, by the event's name. */
export const AnswerEvents = {
  delta: z.strictObject({ text: z.string() }).describe('`delta`: the next piece of the answer.'),
  sources: z
    .strictObject({ sources: z.array(AnswerSource) })
    .describe('`sources`: the passages that the answer cites, `[1]` the first.'),
  billing: AnswerBilling,
  done: z
    .strictObject({ ...answerContext, metadata: answerMetadata })
    .describe('`done`: the last event of an answer.'),
  error: z
    .strictObject({ message: z.string(), code: z.string(), details: z.record(z.string(), json) })
    .describe('`error`, instead of what follows: it failed in the middle, and was refunded.'),
}

const FileInsight = z.strictObject({ observation: z.string(), analysis: z.string(), implication: z.string() })
const fileAnalysis = {
  analysis: z.strictObject({
    summary: z.string(),
    key_elements: z.array(z.string()),
    relevant_details: z.string(),
  }),
  answer: z.strictObject({
    main_response: z.string(),
    insights: z.array(FileInsight),
    additional_considerations: z.string(),
  }),
}
const responseFormat = z.enum(['text', 'json'])

export const FileAnalysis = z
  .strictObject({
    media_info: z.strictObject({
      filename: z.string(),
      format: z.string().describe('File extension.'),
      media_type: mediaType,
      processed_at: timestamp,
      size: count.describe('Bytes.'),
    }),
    processing_info: z.strictObject({
      api_version: z.string(),
      context_id: z.string(),
      model: z.string(),
      processing_time_ms: count,
      status: z.enum(['success', 'failed']),
      cost: dollars,
      balance: dollars,
    }),
    query_info: z.strictObject({
      query: z.string(),
      response_format: responseFormat,
      system_prompt: z.string().nullable(),
    }),
    analysis: fileAnalysis.analysis.optional().describe('With response_format json.'),
    answer: fileAnalysis.answer.optional().describe('With response_format json.'),
    response: z.strictObject({
      content: z.union([z.string(), z.strictObject(fileAnalysis)]),
      format: responseFormat,
      generated_at: timestamp,
    }),
  })
  .meta({ id: 'FileAnalysis' })

/** A balance that is too low is 402 here, as the specification has it for AI. */
const statuses = { INSUFFICIENT_FUNDS: 402 } as const

export const aiRoutes = {
  ask: route({
    operationId: 'ask',
    method: 'post',
    path: '/v1/ai/query',
    tag: 'AI',
    summary: 'Ask a question',
    description:
      'Answered from one item (`media_id`) or from the passages of the library, or of some `collections`, that match best. 0.01 USD; tokens are charged above 10 000 in or 2 500 out. With `stream`: the events `delta`, `sources`, `billing`, `done`, or `error`.',
    access: 'read',
    paid: true,
    codeOf: missingQuery,
    bodyLimit: { bytes: MOST_BODY_BYTES, code: 'INPUT_TOO_LARGE' },
    statuses,
    query: z.strictObject({}),
    body: AskRequest,
    answer: z.strictObject({
      ...success,
      data: z.strictObject({
        response: z.string(),
        sources: z.array(AnswerSource).describe('The passages that the answer cites, `[1]` the first.'),
        billing: AnswerBilling,
        ...answerContext,
      }),
      metadata: answerMetadata,
    }),
    events: z.union(Object.values(AnswerEvents)),
    errors: ['MISSING_QUERY', 'INPUT_TOO_LARGE', 'RESOURCE_NOT_FOUND', 'COLLECTION_NOT_FOUND', 'GONE'],
  }),

  analyzeFile: route({
    operationId: 'analyzeFile',
    method: 'post',
    path: '/v1/ai/analyze',
    tag: 'AI',
    summary: 'Ask one question about a file that is not kept',
    description: 'Nothing of the file is stored. 0.03 USD, refunded when it fails. Images may have 50 MB.',
    access: 'read',
    paid: true,
    invalid: 'INVALID_PARAMETER',
    codeOf: missingQuery,
    statuses,
    query: z.strictObject({}),
    form: z.strictObject({
      query: query.meta({ example: 'What is this about?' }),
      system_prompt: z.string().optional(),
      response_format: responseFormat.default('text'),
      media_type: mediaType.optional().describe('What to take the file for; else its bytes say.'),
    }),
    answer: z.strictObject({
      ...success,
      data: FileAnalysis,
      metadata: z.strictObject({ request_id: z.string(), processing_time_ms: count, summary: z.string() }),
    }),
    errors: [
      'MISSING_FILE',
      'MISSING_QUERY',
      'UNSUPPORTED_FILE_TYPE',
      'FILE_SIZE_EXCEEDED',
      'CORRUPTED_FILE',
      'ENCRYPTED_FILE',
      'GONE',
    ],
  }),
}
