import type { Capability } from '@medialog/domain'
import type { z } from 'zod'
import type { ErrorCode, ErrorShape } from './errors.ts'
import type { Tag } from './tags.ts'

export type Method = 'get' | 'post' | 'put' | 'patch' | 'delete'

/** Who may ask: a key with that capability, the operator, or anybody. */
export type Access = Capability | 'operator' | 'public'

/** One route, declared once: the router, the parsing, the refusals and the reference are all made from it. */
export interface RouteContract {
  operationId: string
  method: Method
  /** With parameters in braces, as OpenAPI writes them. */
  path: `/${string}`
  tag: Tag
  summary: string
  description?: string
  access: Access
  /** Public, but for the operator's token as a bearer token. */
  bearer?: true
  /** Costs money: takes an Idempotency-Key. */
  paid?: true
  shape: ErrorShape
  /** The code of a refusal by shape, unless `codeOf` knows a better one. */
  invalid: ErrorCode
  codeOf?: (issue: z.core.$ZodIssue) => ErrorCode | undefined
  /** The code of what failed inside. */
  failure: ErrorCode
  /** Where a code means another status here than elsewhere. */
  statuses?: Partial<Record<ErrorCode, number>>
  /** Codes that travel under another name here. */
  renamed?: Partial<Record<ErrorCode, ErrorCode>>
  params?: z.ZodType
  query?: z.ZodType
  /** Headers of its own, with what they say and what they may be. */
  headers?: { readonly [name: string]: { says: string; pattern?: RegExp } }
  /** JSON. */
  body?: z.ZodType
  /** Where JSON bodies may be larger than elsewhere, and the code of those that are larger still. */
  bodyLimit?: { bytes: number; code: ErrorCode }
  /** An absent body is read as `{}`. */
  bodyOptional?: true
  /** Numbers with more digits than a double holds come to the body's schema as their text. */
  exactNumbers?: true
  /** Fields of a multipart form besides its `file`. */
  form?: z.ZodType
  /** How many parts `file` the form may have: exactly one unless said. */
  mostFiles?: number
  /** The whole body of a success; `text` for what is not JSON. `line`: JSON, an object a line. */
  answer: z.ZodType | { contentType: string; description: string; line?: z.ZodType }
  /** The same in other forms, when the caller asks for them; `line`: JSON, an object a line. */
  also?: readonly { contentType: string; description: string; line?: z.ZodType }[]
  /** The same as server-sent events: when the caller asks for them, or always where that is what it answers with. */
  events?: z.ZodType
  /** Codes of its own, besides those that every route of its kind has. */
  errors: readonly ErrorCode[]
}

type Defaults = 'shape' | 'invalid' | 'failure' | 'errors'
type Declared = Omit<RouteContract, Defaults> & Partial<Pick<RouteContract, Defaults>>

/** Shape A, VALIDATION_ERROR and PROCESSING_ERROR unless the route says otherwise. */
export const route = <const R extends Declared>(
  declared: R,
): R & Omit<Pick<RouteContract, Defaults>, keyof R> => ({
  shape: 'A',
  invalid: 'VALIDATION_ERROR',
  failure: 'PROCESSING_ERROR',
  errors: [],
  ...declared,
})

/** Every code that the route can answer with. */
export function codesOf(route: RouteContract): ErrorCode[] {
  const takesInput = route.params ?? route.query ?? route.body ?? route.form
  const codes: ErrorCode[] = [...route.errors]
  if (takesInput || route.access === 'read') codes.push(route.invalid)
  if (route.body || route.form) codes.push('REQUEST_TIMEOUT')
  if (route.access === 'operator') codes.push('INVALID_OPERATOR_TOKEN', 'RATE_LIMIT_EXCEEDED')
  else if (route.access !== 'public')
    codes.push('INVALID_API_KEY', 'RATE_LIMIT_EXCEEDED', 'INSUFFICIENT_PERMISSIONS')
  if (route.paid)
    codes.push('ACCOUNT_SUSPENDED', 'INSUFFICIENT_FUNDS', 'IDEMPOTENCY_KEY_REUSED', 'REQUEST_IN_PROGRESS')
  if (route.access === 'read') codes.push('POSITION_LOST')
  if (route.access !== 'public') codes.push(route.failure, 'SERVICE_UNAVAILABLE')
  return [...new Set(codes)]
}
