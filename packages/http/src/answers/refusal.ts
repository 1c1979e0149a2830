import {
  EngineUnavailable,
  InvalidApiKey,
  StreamDamaged,
  StoredUnread,
  FileTooLarge,
  TooMuchWaiting,
  UnreadableFile,
  UnsupportedFileType,
  type UnreadableReason,
} from '@medialog/application'
import {
  errorBody,
  errorKind,
  isErrorCode,
  type ErrorCode,
  type RouteContract,
} from '@medialog/contract/http'
import { DomainError, type JsonObject } from '@medialog/kernel'

/** A refusal of the edge itself, or any other one made ready to be answered. */
export class Refusal extends DomainError {
  declare readonly code: ErrorCode
  readonly headers: { readonly [name: string]: string }

  constructor(
    code: ErrorCode,
    message: string,
    details: JsonObject = {},
    headers: { [name: string]: string } = {},
  ) {
    super(code, message, details)
    this.headers = headers
  }
}

const OF_UNREADABLE: Record<UnreadableReason, ErrorCode> = {
  corrupted: 'CORRUPTED_FILE',
  encrypted: 'ENCRYPTED_FILE',
  'too-large': 'FILE_SIZE_EXCEEDED',
  timeout: 'CORRUPTED_FILE',
  memory: 'CORRUPTED_FILE',
}

/** Without Retry-After: only the operator can mend it. */
const DAMAGED =
  'A record that this request needs is damaged, and the operator of the service has to mend it. Trying again does not help.'

/** The refusal that an error means, or null for an unexpected error. */
export function refusalOf(error: unknown): Refusal | null {
  if (error instanceof Refusal) return error
  if (error instanceof UnsupportedFileType) return new Refusal('UNSUPPORTED_FILE_TYPE', error.message)
  if (error instanceof UnreadableFile)
    return new Refusal(OF_UNREADABLE[error.reason], error.message, { reason: error.reason })
  if (error instanceof FileTooLarge)
    return new Refusal(
      'FILE_SIZE_EXCEEDED',
      `The file is larger than the ${error.limit} bytes that its format may have.`,
      { limit_bytes: error.limit },
    )
  if (error instanceof EngineUnavailable) {
    const seconds = Math.max(1, Math.ceil(error.retryAfterSeconds))
    return error instanceof StoredUnread ? storedUnread(error.mediaId, seconds) : unavailable(seconds)
  }
  if (error instanceof StreamDamaged) return new Refusal('SERVICE_UNAVAILABLE', DAMAGED)
  if (error instanceof TooMuchWaiting)
    return new Refusal('RATE_LIMIT_EXCEEDED', error.message, error.details, {
      'Retry-After': String(error.retryAfterSeconds),
    })
  if (error instanceof InvalidApiKey) return invalidKey(error.message)
  if (!(error instanceof DomainError)) return null
  const code = error.code.toUpperCase()
  return isErrorCode(code) ? new Refusal(code, error.message, { ...error.details }) : null
}

export const invalidKey = (message: string): Refusal =>
  new Refusal('INVALID_API_KEY', message, {}, { 'WWW-Authenticate': 'Bearer realm="Medialog"' })

/** @param allow the methods that the path has, as the header names them */
export const methodNotAllowed = (allow: string): Refusal =>
  new Refusal('METHOD_NOT_ALLOWED', `This path takes ${allow}.`, { allowed_methods: allow }, { Allow: allow })

export const unavailable = (
  retryAfterSeconds: number,
  message = `A part of the service is unavailable; try again in ${retryAfterSeconds} s.`,
  details: JsonObject = {},
): Refusal =>
  new Refusal(
    'SERVICE_UNAVAILABLE',
    message,
    { ...details, retry_after_seconds: retryAfterSeconds },
    { 'Retry-After': String(retryAfterSeconds) },
  )

/** The one 503 after which something is there and paid for: it says what, and how to come by the answer. */
const storedUnread = (mediaId: string, retryAfterSeconds: number): Refusal =>
  unavailable(
    retryAfterSeconds,
    `The file is stored, but what was understood of it cannot be read right now. In ${retryAfterSeconds} s read the item, ` +
      'or send the same again with the same Idempotency-Key for the whole answer.',
    { media_id: mediaId },
  )

/** What was asked for, without the cause: the request id leads to it in the log. */
export const failure = (route: RouteContract | null, params: JsonObject = {}): Refusal =>
  new Refusal(
    route?.failure ?? 'PROCESSING_ERROR',
    'Something failed inside; it was logged under the request id.',
    route ? { operation: route.operationId, ...params } : {},
  )

/** Status and body of a refusal in the shape of its route (A where no route was found). */
export function bodyOf(
  { code: original, message, details: given }: Refusal,
  route: RouteContract | null,
  requestId: string,
): { status: number; body: object } {
  const code = route?.renamed?.[original] ?? original
  const status = route?.statuses?.[code] ?? errorKind(code).status
  const details = { ...given, request_id: requestId }
  return { status, body: errorBody(route?.shape ?? 'A', code, { status, message, details }) }
}
