import type { ErrorCode } from './operations.ts'

/** A request that did not succeed. `code` says why, in capitals: a code of the service, or one of this library. */
export class MedialogError extends Error {
  override name = 'MedialogError'
  readonly code: ErrorCode | OwnCode | (string & {})

  constructor(code: MedialogError['code'], message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
  }
}

/** Codes of errors that no answer of the service named. */
export type OwnCode =
  | 'UNREACHABLE'
  | 'NOT_MEDIALOG'
  | 'BROKEN_OFF'
  | 'UNREADABLE_FILE'
  | 'NO_API_KEY'
  | 'NO_OPERATOR_TOKEN'

/** The service's refusal. */
export class Refused extends MedialogError {
  override name = 'Refused'
  /** Of the answer. */
  readonly status: number
  /** What the refusal is about: the parameter, the limit, the item that is there already … */
  readonly details: { readonly [name: string]: unknown }
  /** What to do about it, where the service says it. */
  readonly suggestion: string | null
  /** By which the operator finds it in the log. */
  readonly requestId: string | null
  /** How long the service asks to wait before the next try. */
  readonly retryAfterMs: number | null

  constructor(
    code: string,
    message: string,
    refusal: Pick<Refused, 'status' | 'details' | 'suggestion' | 'requestId' | 'retryAfterMs'>,
  ) {
    super(code, message)
    this.status = refusal.status
    this.details = refusal.details
    this.suggestion = refusal.suggestion
    this.requestId = refusal.requestId
    this.retryAfterMs = refusal.retryAfterMs
  }
}

/** No answer came: no server listens, the connection broke, or it was silent for too long. */
export class Unreachable extends MedialogError {
  override name = 'Unreachable'
  readonly reason: 'nobody' | 'silent' | 'broken'

  constructor(reason: Unreachable['reason'], message: string, options?: ErrorOptions) {
    super('UNREACHABLE', message, options)
    this.reason = reason
  }
}
