import type { JsonObject } from '@medialog/kernel'
import { z } from 'zod'
import { json } from './common.ts'

interface ErrorKind {
  status: number
  /** When it happens: shown in the reference. */
  when: string
  /** What to do about it, for the bodies that carry a suggestion. */
  suggestion?: string
}

/** Every code the service answers with. Shapes B and C write them in lower case. */
export const ERRORS = {
  VALIDATION_ERROR: { status: 400, when: 'A part of the request has the wrong form.' },
  INVALID_PARAMETER: { status: 400, when: 'A parameter, header or form field has the wrong form.' },
  MISSING_FILE: { status: 400, when: 'The form has no file part named `file`.' },
  MISSING_QUERY: { status: 400, when: '`query` is absent or blank.' },
  INPUT_TOO_LARGE: {
    status: 400,
    when: 'Query, context, system prompt and media have more than 100 000 tokens together.',
  },
  UNSUPPORTED_FILE_TYPE: { status: 400, when: 'The file is of no supported format.' },
  FILE_SIZE_EXCEEDED: {
    status: 400,
    when: 'The file is larger, longer or expands further than its format may.',
  },
  CORRUPTED_FILE: { status: 400, when: 'The file is empty, truncated or unreadable.' },
  ENCRYPTED_FILE: { status: 400, when: 'The file needs a password.' },
  INVALID_MEDIA: {
    status: 400,
    when: 'Files of a batch are too large, empty or of no supported format; `details` names each.',
  },
  MISSING_MEDIA_IDS: { status: 400, when: '`media_ids` is absent.' },
  INVALID_MEDIA_IDS: { status: 400, when: '`media_ids` is not a non-empty array of strings.' },
  BATCH_TOO_LARGE: { status: 400, when: 'More than 100 media ids.' },
  BATCH_SIZE_EXCEEDED: { status: 400, when: 'More than 1000 items.' },
  CANNOT_DELETE_DEFAULT: { status: 400, when: 'The collection `default` cannot be deleted.' },
  INVALID_API_KEY: {
    status: 401,
    when: 'The key is missing or not valid.',
    suggestion: 'Send a valid API key in the X-Api-Key header.',
  },
  INVALID_OPERATOR_TOKEN: { status: 401, when: 'The operator token is missing or not valid.' },
  INSUFFICIENT_PERMISSIONS: {
    status: 403,
    when: 'The key lacks the capability.',
    suggestion: 'Use a key with the capability named in details.',
  },
  ACCOUNT_SUSPENDED: { status: 403, when: 'The account is suspended and the request would cost money.' },
  INSUFFICIENT_FUNDS: { status: 403, when: 'The balance is too low.' },
  QUOTA_EXCEEDED: { status: 403, when: 'The storage quota is used up.' },
  NOT_FOUND: { status: 404, when: 'There is no such path, or no such batch of the account.' },
  RESOURCE_NOT_FOUND: { status: 404, when: 'There is no such thing, or it is another account’s.' },
  COLLECTION_NOT_FOUND: { status: 404, when: 'The collection is empty or does not exist.' },
  ITEMS_NOT_FOUND: { status: 404, when: 'Some items are not there: none was moved.' },
  ACCOUNT_NOT_FOUND: { status: 404, when: 'There is no such account.' },
  KEY_NOT_FOUND: { status: 404, when: 'The account has no such key, or it was revoked.' },
  METHOD_NOT_ALLOWED: { status: 405, when: 'The path has no such method; Allow names those it has.' },
  REQUEST_TIMEOUT: { status: 408, when: 'The request’s body stopped arriving.' },
  DUPLICATE_FILE: { status: 409, when: 'The same content is stored, or being stored, already.' },
  REQUEST_IN_PROGRESS: { status: 409, when: 'A request with the same Idempotency-Key is still running.' },
  OPERATION_RUNNING: { status: 409, when: 'The same operation is running already.' },
  CREDIT_REFERENCE_REUSED: { status: 409, when: 'The reference credited another amount before.' },
  WEBHOOK_LIMIT_REACHED: { status: 409, when: 'The account has as many webhooks as its tier may have.' },
  WEBHOOK_NOT_ACTIVE: { status: 409, when: 'The webhook is paused or disabled: nothing is sent to it.' },
  ACCOUNT_CLOSED: { status: 409, when: 'The account is closed.' },
  POSITION_LOST: {
    status: 409,
    when: '`X-Min-Position` is beyond the end of the log: the service was restored to before it.',
    suggestion: 'Send the request without X-Min-Position.',
  },
  GONE: { status: 410, when: 'What the Idempotency-Key answered for was erased since.' },
  IDEMPOTENCY_KEY_REUSED: { status: 422, when: 'The Idempotency-Key was used with another request.' },
  RATE_LIMIT_EXCEEDED: {
    status: 429,
    when: 'More requests than the tier allows in 60 s, more batches or deliveries that are not done, or 60 wrong operator tokens.',
    suggestion: 'Wait as many seconds as Retry-After says.',
  },
  PROCESSING_ERROR: {
    status: 500,
    when: 'Something failed inside.',
    suggestion: 'Try again; if it stays, report the request id.',
  },
  STORAGE_ERROR: { status: 500, when: 'Moving failed inside; nothing was moved.' },
  INTERNAL_ERROR: {
    status: 500,
    when: 'The check itself failed.',
    suggestion: 'Try again; if it stays, report the request id.',
  },
  SERVICE_UNAVAILABLE: {
    status: 503,
    when: 'An engine or model provider is away; Retry-After says when to try again.',
    suggestion: 'Wait as many seconds as Retry-After says.',
  },
} as const satisfies { readonly [code: string]: ErrorKind }

export type ErrorCode = keyof typeof ERRORS

export const isErrorCode = (code: string): code is ErrorCode => Object.hasOwn(ERRORS, code)
export const errorKind = (code: ErrorCode): ErrorKind => ERRORS[code]

/** A: the default. B: usage, status and reading batches. C: creating batches. */
export type ErrorShape = 'A' | 'B' | 'C'

/** More by the code. */
const details = z
  .object({
    request_id: z.string().optional().describe('By which the operator finds the request in the log.'),
  })
  .catchall(json)
  .meta({ id: 'ErrorDetails' })
const upper = z.string().regex(/^[A-Z_]+$/)
const lower = z.string().regex(/^[a-z_]+$/)

export const ErrorA = z
  .strictObject({
    success: z.literal(false),
    message: z.string(),
    error: z.strictObject({ code: upper, details }),
  })
  .meta({ id: 'ErrorAnswer' })

export const ErrorB = z
  .strictObject({
    success: z.literal(false),
    message: z.string(),
    code: lower,
    status_code: z.int(),
    details: details.optional(),
    suggestion: z.string().optional(),
  })
  .meta({ id: 'FlatErrorAnswer' })

export const ErrorC = z
  .strictObject({
    success: z.literal(false),
    error: z.strictObject({ code: lower, message: z.string(), details }),
  })
  .meta({ id: 'NestedErrorAnswer' })

export const ERROR_BODIES = { A: ErrorA, B: ErrorB, C: ErrorC } satisfies Record<ErrorShape, z.ZodType>

/** A refusal's body in the shape of its route. */
export function errorBody(
  shape: ErrorShape,
  code: ErrorCode,
  { status, message, details }: { status: number; message: string; details: JsonObject },
): object {
  // Only one that says when can be tried again.
  const isForOperator = code === 'SERVICE_UNAVAILABLE' && !('retry_after_seconds' in details)
  const suggestion = isForOperator ? 'Tell the operator of the service.' : errorKind(code).suggestion
  switch (shape) {
    case 'A':
      return { success: false, message, error: { code, details } }
    case 'B':
      return {
        success: false,
        message,
        code: code.toLowerCase(),
        status_code: status,
        details,
        ...(suggestion && { suggestion }),
      }
    case 'C':
      return { success: false, error: { code: code.toLowerCase(), message, details } }
  }
}
