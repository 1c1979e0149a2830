import {
  AccessDeniedError,
  convertToCommandError,
  ErrorType,
  isCommandError,
  MaxAppendSizeExceededError,
  StreamDeletedError,
  StreamNotFoundError,
  WrongExpectedVersionError,
} from '@eventstore/db-client'

/** Of gRPC's codes. */
const UNAUTHENTICATED = 16

/** A call has said nothing for too long: whether it did something is not known. */
export class TimedOut extends Error {
  override name = 'TimedOut'

  constructor() {
    super('it does not answer')
  }
}

/** What was asked for is not to be seen yet, though it should be. */
export class NotThereYet extends Error {
  override name = 'NotThereYet'
}

export const isMissing = (error: unknown): error is StreamNotFoundError =>
  error instanceof StreamNotFoundError

/** The server knows the user not, or does not let it do that; `isKnown`: the latter. */
export function refusalOf(error: unknown): { isKnown: boolean } | null {
  const said = error instanceof Error ? convertToCommandError(error) : null
  return said instanceof AccessDeniedError
    ? { isKnown: (said.code as number | undefined) !== UNAUTHENTICATED }
    : null
}

/** The stream was ended for good. */
export const isTombstoned = (error: unknown): error is StreamDeletedError =>
  error instanceof StreamDeletedError

/** Whether asking again may help, and is harmless: with an append that is the same ids at the same revision. */
export function isTransient(error: unknown): boolean {
  if (error instanceof TimedOut || error instanceof NotThereYet) return true
  if (!(error instanceof Error) || isAnswer(error)) return false
  // Where no node answers, or a connection was given up a moment ago, the client throws an error of no class.
  return isCommandError(convertToCommandError(error)) || error.constructor === Error
}

/** The server has understood, and this is what it says. */
const isAnswer = (error: unknown): boolean =>
  error instanceof WrongExpectedVersionError ||
  error instanceof MaxAppendSizeExceededError ||
  error instanceof StreamDeletedError ||
  error instanceof StreamNotFoundError

/** In words for people. */
export function describeFailure(error: unknown): string {
  const said = error instanceof Error ? (convertToCommandError(error) as { type?: ErrorType }) : {}
  switch (said.type) {
    case ErrorType.ACCESS_DENIED:
      return 'it refuses the user'
    case ErrorType.DEADLINE_EXCEEDED:
    case ErrorType.TIMEOUT:
      return 'it does not answer'
    case ErrorType.UNAVAILABLE:
      return `it cannot be reached${mistrustIn((error as Error).message)}`
    default:
  }
  return error instanceof Error ? error.message : String(error)
}

/** What is wrong with its certificate, where that is the cause. The client has it in the message alone. */
function mistrustIn(message: string): string {
  const [, why] = /Last error: (?:Error: )?(.*?)(?:\. Resolution note|$)/s.exec(message) ?? []
  return why && /certificate|altname|\bssl\b|\btls\b/i.test(why) ? `: ${why}` : ''
}
