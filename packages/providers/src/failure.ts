import { EngineUnavailable } from '@medialog/application/ports'
import { APICallError } from 'ai'
import { BrokenCircuitError, TaskCancelledError } from 'cockatiel'

/** What went wrong with a call, in words of ours: those of a provider may quote keys and contents. */
export interface Fault {
  message: string
  /** Milliseconds to wait before it is worth another try at the earliest; null: trying again does not help. */
  retryAfterMs: number | null
  /** Whether it says that the provider, not the request, is at fault. */
  counts: boolean
  /** Whether the provider was asked at all. */
  made: boolean
}

/**
 * A model of a provider gave no usable answer, and will not at once. The message is a sentence for people. It has no
 * cause: the library's errors hold what was sent and what came back, which belongs in no log.
 */
export class ProviderUnavailable extends EngineUnavailable {
  override name = 'ProviderUnavailable'

  constructor(message: string, options: { retryAfterSeconds?: number } = {}) {
    super('model provider', message, options)
  }
}

/** No sign of life within the time that is given. */
export class NoAnswerInTime extends Error {
  readonly seconds: number

  constructor(seconds: number) {
    super(`nothing came within ${seconds} s`)
    this.seconds = seconds
  }
}

/** The answer is none that can be used: of the wrong form, too long, or empty. */
export class UnusableAnswer extends Error {
  /** Tokens that it took all the same. */
  readonly tokens: number | undefined

  constructor(why: string, tokens?: number) {
    super(why)
    this.tokens = tokens
  }
}

/** As many calls wait as may. */
export class TooManyCalls extends Error {}

/** The call would take more than the budget of this hour has left, the account's or that of all. */
export class BudgetSpent extends Error {}

/** Whoever asked went away: nobody's fault. */
export class CallerLeft extends Error {}

/** What a failed call took, as far as it can be told; undefined: perhaps all that it might have. */
export function tokensTaken(error: unknown): number | undefined {
  if (error instanceof UnusableAnswer) return error.tokens
  // What was refused was not worked on.
  return APICallError.isInstance(error) && error.statusCode !== 200 ? 0 : undefined
}

export function faultOf(error: unknown): Fault {
  if (error instanceof NoAnswerInTime)
    return lasting(`The model provider did not answer within ${error.seconds} seconds.`)
  if (error instanceof UnusableAnswer) {
    const message = `The model’s answer could not be used: ${error.message}.`
    return { message, retryAfterMs: 0, counts: false, made: true }
  }
  if (error instanceof BudgetSpent)
    return notMade('The budget of tokens for model providers is spent for this hour.')
  if (error instanceof BrokenCircuitError)
    return notMade('The model provider failed repeatedly and is not asked for a while.')
  if (error instanceof TooManyCalls) return notMade('Too many calls wait for the model provider already.')
  if (error instanceof CallerLeft || error instanceof TaskCancelledError)
    return notMade('The caller went away.')
  if (APICallError.isInstance(error)) return faultOfAnswer(error)
  return broken()
}

function faultOfAnswer({ statusCode, responseHeaders }: APICallError): Fault {
  if (statusCode === undefined) return passing('The model provider could not be reached.')
  if (statusCode === 429)
    return passing('The model provider asks for a pause (429).', retryAfterOf(responseHeaders))
  if (statusCode >= 500 || statusCode === 408)
    return passing(`The model provider failed (${statusCode}).`, retryAfterOf(responseHeaders))
  if (statusCode === 401 || statusCode === 403)
    return lasting(`The model provider does not accept the key (${statusCode}).`)
  if (statusCode === 404) return lasting('The model provider knows no such model or address (404).')
  if (statusCode >= 400)
    return { ...lasting(`The model provider refused the request (${statusCode}).`), counts: false }
  return broken()
}

/** May have passed when it is tried again. */
const passing = (message: string, retryAfterMs = 0): Fault => ({
  message,
  retryAfterMs,
  counts: true,
  made: true,
})
const broken = (): Fault => passing('The model provider’s answer broke off, or could not be read.')
/** Will be the same when it is tried again at once. */
const lasting = (message: string): Fault => ({ message, retryAfterMs: null, counts: true, made: true })
const notMade = (message: string): Fault => ({ message, retryAfterMs: null, counts: false, made: false })

/** `Retry-After` in seconds or as a date (RFC 9110, 10.2.3), in milliseconds; 0 without one. */
function retryAfterOf(headers: Record<string, string> = {}): number {
  const value = headers['retry-after'] ?? ''
  if (/^\d+(?:\.\d+)?$/.test(value)) return Number(value) * 1000
  const at = Date.parse(value)
  return Number.isNaN(at) ? 0 : Math.max(0, at - Date.now())
}
