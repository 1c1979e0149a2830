/** The documented exit codes. */
export const EXIT = {
  ok: 0,
  failed: 1,
  usage: 2,
  unreachable: 3,
  unauthorised: 4,
  interrupted: 130,
  brokenPipe: 141,
} as const

/** Something that ends a command: what happened, what to do next, and the exit code. */
export class CliError extends Error {
  override name = 'CliError'
  readonly code: string
  readonly exitCode: number
  readonly hint: string | null

  constructor(code: string, message: string, { exitCode, hint }: { exitCode?: number; hint?: string } = {}) {
    super(message)
    this.code = code
    this.exitCode = exitCode ?? EXIT.failed
    this.hint = hint || null
  }
}

export class UsageError extends CliError {
  constructor(message: string, hint = '') {
    super('USAGE', message, { exitCode: EXIT.usage, hint })
  }
}

/** No answer came: nobody listens, the connection broke, or it took too long. */
export class Unreachable extends CliError {
  readonly reason: 'nobody' | 'silent' | 'broken'

  constructor(reason: Unreachable['reason'], message: string, hint: string) {
    super('UNREACHABLE', message, { exitCode: EXIT.unreachable, hint })
    this.reason = reason
  }
}

export class Interrupted extends CliError {
  constructor() {
    super('INTERRUPTED', 'Interrupted.', { exitCode: EXIT.interrupted })
  }
}

/** The server's refusal, whatever of its three shapes the body had. `code` is in capitals. */
export class Refused extends CliError {
  readonly status: number
  readonly details: { readonly [name: string]: unknown }
  readonly requestId: string | null
  readonly retryAfterMs: number | null

  constructor(refusal: {
    status: number
    code: string
    message: string
    details?: { [name: string]: unknown }
    hint?: string
    requestId?: string | null
    retryAfterMs?: number | null
  }) {
    const unauthorised = refusal.status === 401 || refusal.code === 'INSUFFICIENT_PERMISSIONS'
    super(refusal.code, refusal.message, {
      exitCode: unauthorised ? EXIT.unauthorised : EXIT.failed,
      hint: refusal.hint ?? hintFor(refusal.code, refusal.details?.resource_type),
    })
    this.status = refusal.status
    this.details = refusal.details ?? {}
    this.requestId = refusal.requestId ?? null
    this.retryAfterMs = refusal.retryAfterMs ?? null
  }
}

function hintFor(code: string, resource: unknown): string | undefined {
  if (code === 'RESOURCE_NOT_FOUND') return resource === 'media_item' ? HINTS[code] : undefined
  return HINTS[code]
}

/** What to do next, by the code of the refusal, where the message of the server does not say it. */
const HINTS: { readonly [code: string]: string } = {
  INVALID_API_KEY:
    'Give a key with --key, MEDIALOG_API_KEY or a profile. An operator makes one: `keys create ACCOUNT`.',
  INVALID_OPERATOR_TOKEN:
    'Give the token with --operator-token or MEDIALOG_OPERATOR_TOKEN; it is in <data folder>/secrets/operator-token.',
  INSUFFICIENT_PERMISSIONS:
    'Use a key with that capability. An operator makes one: `keys create ACCOUNT --capabilities read,write,delete`.',
  INSUFFICIENT_FUNDS: 'An operator adds money with `credits add ACCOUNT AMOUNT`.',
  ACCOUNT_SUSPENDED: 'An operator ends that with `accounts reinstate ACCOUNT`.',
  QUOTA_EXCEEDED: 'Delete items, or ask for a larger tier: `accounts tier ACCOUNT enterprise`.',
  RESOURCE_NOT_FOUND: 'See what there is with `medialog list`.',
  COLLECTION_NOT_FOUND: 'See what there is with `medialog collections list`.',
  INVALID_MEDIA: 'Leave them out, or send the others with `medialog upload`.',
  RATE_LIMIT_EXCEEDED: 'Wait a little and try again, or ask for a larger tier.',
  DUPLICATE_FILE: 'Pass --overwrite to process it again.',
}
