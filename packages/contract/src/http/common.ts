import { fromUsdNumber, MEDIA_TYPES, usd } from '@medialog/kernel'
import { z } from 'zod'
import { parseInstant } from './instant.ts'

/** What `metadata.api_version` and `/v1/status` report. */
export const API_VERSION = '1.0.0'

/** The first two fields of every success. */
export const success = { success: z.literal(true), message: z.string().describe('A sentence for people.') }

/** ISO 8601 UTC with milliseconds and `Z`. */
export const timestamp = z.iso
  .datetime({ precision: 3 })
  .meta({ description: 'ISO 8601, UTC, milliseconds.', example: '2026-11-20T13:05:09.123Z' })

/** USD as a JSON number, exact to nine decimals. */
export const dollars = z.number().meta({ description: 'USD, exact to nine decimals.', example: 0.04 })

const MOST_USD = 1_000_000_000
const AMOUNT_RULE = `must be an amount of USD from 0 to ${MOST_USD} with at most nine decimals`
const amountRule = ({ input }: { input?: unknown }): string =>
  input === undefined ? 'is required' : AMOUNT_RULE
/** Written out: an exponent could hide digits that are not there. */
const DECIMAL = /^\d{1,10}(?:\.\d{1,9})?$/

/**
 * An amount in a request, in nano-USD inside: a JSON number, or a string for programs whose numbers do not hold it. A route
 * that takes one has `exactNumbers`.
 */
export const usdAmount = z
  .union([z.number().min(0).max(MOST_USD), z.string().regex(DECIMAL, { error: AMOUNT_RULE })], {
    error: amountRule,
  })
  .transform((value, check) => {
    try {
      const amount = typeof value === 'number' ? fromUsdNumber(value) : usd(value)
      if (amount <= usd(String(MOST_USD))) return amount
    } catch {
      // Said below.
    }
    check.addIssue({ code: 'custom', message: AMOUNT_RULE, input: value })
    return z.NEVER
  })
  .meta({ description: 'USD, at most nine decimals.', example: 10 })

/** Any JSON, without a recursive schema, which generators cannot handle. */
export const json = z.custom<z.core.util.JSONType>(() => true)

/** A default of text that is parsed: zod shows none in the reference, since its type is the parsed one. */
export const defaulting = <S extends z.ZodType>(
  schema: S,
  value: z.util.NoUndefined<z.output<S>> & (number | boolean),
) => schema.default(value).meta({ shownDefault: value })

export const mediaType = z.enum(MEDIA_TYPES).meta({ id: 'MediaType' })
export const count = z.int().min(0)
export const ratio = z.number().min(0).max(1)
export const seconds = z.number().min(0).describe('Seconds from the beginning.')
export const saidAt = z
  .strictObject({ start: seconds, end: seconds })
  .describe('When it is said, of a recording or film where that is known.')

export const mediaId = z.string().meta({
  description: 'Either form of an item’s id: `doc_<uuid>` (img_, vid_, aud_, mdl_) or `vec-<uuid>`.',
  example: 'doc_0190d3c2-6f0e-5b1a-9c1d-2f6f5f0a7b11',
})

/** What the headers of paid requests may be. */
export const IDEMPOTENCY_KEY = /^[\x21-\x7e]{1,255}$/
export const MAX_COST = /^\d{1,9}(\.\d{1,9})?$/

/** In the operator's paths. */
export const accountParams = z.strictObject({
  account_id: z.string().meta({ example: '0190d3c2-6f0e-7b1a-9c1d-2f6f5f0a7b11' }),
})

export const jobId = z.string().regex(/^job_/).meta({ example: 'job_0190d3c2-7a1b-7c2d-8e3f-4a5b6c7d8e9f' })

export const COLLECTION_ID = /^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$/
export const COLLECTION_RULE =
  "must be 1 to 64 letters, digits, '_', '-' or '.', starting with a letter or digit, and not the reserved 'all'"

/** 1 to 64 of letters, digits, `_`, `-`, `.`, starting with a letter or digit; `all` is reserved. */
export const collectionId = z
  .string()
  .regex(COLLECTION_ID, { error: COLLECTION_RULE })
  .refine((id) => id.toLowerCase() !== 'all', { error: COLLECTION_RULE })
  .meta({ description: 'A collection’s id.', example: 'reports', minLength: 1, maxLength: 64 })

const BOOLEANS: ReadonlyMap<string, boolean> = new Map(
  Object.entries<boolean>({ true: true, 1: true, false: false, 0: false }),
)

/** A boolean in a form or query string: true, false, 1 or 0 in any case. */
export const booleanText = z
  .string()
  .transform((text, check) => {
    const value = BOOLEANS.get(text.toLowerCase())
    if (value !== undefined) return value
    check.addIssue({ code: 'custom', message: 'must be true, false, 1 or 0', input: text })
    return z.NEVER
  })
  .meta({ type: 'boolean' })

/** An integer in a query string. */
export const integerText = (
  minimum: number,
  maximum: number,
  rule = `must be an integer from ${minimum} to ${maximum}`,
) =>
  z
    .string()
    .transform((text, check) => {
      const value = /^\+?\d+$/.test(text) ? Number(text) : Number.NaN
      if (value >= minimum && value <= maximum) return value
      const message = value > maximum ? `must be at most ${maximum}` : rule
      check.addIssue({ code: 'custom', message, input: text })
      return z.NEVER
    })
    .meta({ type: 'integer', minimum, maximum })

/** Pages enough for every list, few enough that page × page_size stays an exact number. */
export const pageText = integerText(1, 1_000_000_000, 'must be a positive integer')

/** A moment as people write it, in milliseconds since the epoch. */
export const instantText = z
  .string()
  .transform((text, check) => {
    const { milliseconds, problem } = parseInstant(text)
    if (milliseconds !== null) return milliseconds
    check.addIssue({
      code: 'custom',
      message: 'must be an ISO 8601 date or time',
      input: text,
      params: { details: { expected_format: 'ISO 8601, e.g. 2026-11-20T13:05:09Z', parse_error: problem } },
    })
    return z.NEVER
  })
  .meta({
    format: 'date-time',
    description: 'Any ISO 8601 date or time; without a zone it is UTC.',
    example: '2026-11-20T13:05:09Z',
  })

export const pagination = z.strictObject({
  page: z.int().min(1),
  page_size: z.int().min(1),
  total_items: count,
  total_pages: count,
})
