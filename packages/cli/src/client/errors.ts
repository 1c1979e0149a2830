import { MedialogError, Refused, Unreachable } from '@medialog/client'

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
  /** Of the service, where it was that. */
  readonly refusal: Refused | null

  constructor(
    code: string,
    message: string,
    { exitCode, hint, refusal }: { exitCode?: number; hint?: string; refusal?: Refused } = {},
  ) {
    super(message)
    this.code = code
    this.exitCode = exitCode ?? EXIT.failed
    this.hint = hint || null
    this.refusal = refusal ?? null
  }
}

export class UsageError extends CliError {
  constructor(message: string, hint = '') {
    super('USAGE', message, { exitCode: EXIT.usage, hint })
  }
}

export class Interrupted extends CliError {
  constructor() {
    super('INTERRUPTED', 'Interrupted.', { exitCode: EXIT.interrupted })
  }
}

/** What an error of the client library means for people: the exit code, and what to do next. Others stay what they are. */
export function cliErrorOf(error: unknown): unknown {
  if (error instanceof Refused) {
    const { code, message, suggestion, details, status } = error
    const isUnauthorised = status === 401 || code === 'INSUFFICIENT_PERMISSIONS'
    return new CliError(code, message, {
      exitCode: isUnauthorised ? EXIT.unauthorised : EXIT.failed,
      hint: suggestion ?? hintFor(code, details['resource_type']),
      refusal: error,
    })
  }
  if (error instanceof Unreachable)
    return new CliError(error.code, error.message, {
      exitCode: EXIT.unreachable,
      hint: OF_UNREACHABLE[error.reason],
    })
  if (error instanceof MedialogError) {
    const secret = OF_SECRETS.get(error.code)
    if (secret)
      return new CliError(error.code, secret.message, { exitCode: EXIT.unauthorised, hint: secret.hint })
    return new CliError(error.code, error.message, { hint: HINTS.get(error.code) })
  }
  return error instanceof DOMException && error.name === 'AbortError' ? new Interrupted() : error
}

const OF_UNREACHABLE: Record<Unreachable['reason'], string> = {
  nobody: 'Start one with `npm start`, or name another with --url.',
  silent: 'Try again, or allow more time with --timeout SECONDS.',
  broken: 'Try again; `medialog status` says how the server is.',
}

const OF_SECRETS: ReadonlyMap<string, { message: string; hint: string }> = new Map(
  Object.entries<{ message: string; hint: string }>({
    NO_OPERATOR_TOKEN: {
      message: 'This needs the operator token, and none was found.',
      hint: 'Give it with --operator-token or MEDIALOG_OPERATOR_TOKEN, or name the data folder of the server with --data-dir.',
    },
    NO_API_KEY: {
      message: 'This needs an API key, and none was found.',
      hint: 'Give one with --key or MEDIALOG_API_KEY, or keep one with `medialog profile add`.',
    },
  }),
)

function hintFor(code: string, resource: unknown): string | undefined {
  if (code === 'RESOURCE_NOT_FOUND') return resource === 'media_item' ? HINTS.get(code) : undefined
  return HINTS.get(code)
}

/** What to do next, by the code of the refusal, where the message of the server does not say it. */
const HINTS: ReadonlyMap<string, string> = new Map(
  Object.entries({
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
    NOT_FOUND:
      'The operator’s side may be on another port, which the server has as ADMIN_PORT: name its address with --url. Or the server is of another release: see `medialog status`.',
    NOT_MEDIALOG: 'Check the address: --url, MEDIALOG_URL, or the profile in use.',
  }),
)
