import { DomainError, type Decider, type Json, type Uuid } from '@medialog/kernel'
import { AccountIsClosed } from './account.ts'

/** How long an Idempotency-Key is kept, in milliseconds. */
export const REQUEST_MEMORY_MS = 24 * 60 * 60 * 1000
/** So many abandoned requests are remembered of a key, the latest: repeats of a failing one add to them. */
const MOST_ABANDONED = 20

/**
 * Stream `request-<uuid of account and Idempotency-Key>`: one request however often it is sent.
 * A refusal or failure abandons it, so that the same key may be tried again; only success is kept.
 */
export type RequestEvent =
  | { type: 'RequestStarted'; accountId: Uuid; requestId: Uuid; fingerprint: string; at: number }
  /** `answer` refers to the result (ids, amounts, times): content that may be erased is never in it. */
  | {
      type: 'RequestCompleted'
      accountId: Uuid
      requestId: Uuid
      answer: { [key: string]: Json }
      at: number
    }
  | { type: 'RequestAbandoned'; accountId: Uuid; requestId: Uuid; at: number }
  /** Its account was closed and everything in it erased: all before goes, with the names of collections that answers hold. */
  | { type: 'RequestErased'; accountId: Uuid; at: number }

export type RequestCommand =
  | StartRequest
  | { type: 'CompleteRequest'; requestId: Uuid; answer: { [key: string]: Json }; at: number }
  | { type: 'AbandonRequest'; requestId: Uuid; at: number }
  | { type: 'EraseRequest'; accountId: Uuid; at: number }

interface StartRequest {
  type: 'StartRequest'
  accountId: Uuid
  requestId: Uuid
  fingerprint: string
  /** Abandoned twins whose outcome is known: while there are others, it does not start. Null: of none comes anything. */
  known: readonly Uuid[] | null
  at: number
}

export interface Request {
  current:
    | (StartedRequest & {
        accountId: Uuid
        answer: { [key: string]: Json } | null
      })
    | null
  /** Those before it that released the key, or were given up for dead: they may still have had an effect. */
  abandoned: readonly StartedRequest[]
  erased: boolean
}

interface StartedRequest {
  requestId: Uuid
  fingerprint: string
  startedAt: number
}

/** The request that has the key at that time. */
export const holderAt = ({ current }: Request, at: number): Request['current'] =>
  current && isRemembered(current, at) ? current : null

/** The same request as this one, sent before under its key, as far as that is remembered. It was never answered. */
export const abandonedTwins = (
  { abandoned }: Request,
  { fingerprint, at }: Pick<StartRequest, 'fingerprint' | 'at'>,
): Uuid[] =>
  abandoned
    .filter((twin) => twin.fingerprint === fingerprint && isRemembered(twin, at))
    .map(({ requestId }) => requestId)

const isRemembered = ({ startedAt }: StartedRequest, at: number): boolean =>
  startedAt + REQUEST_MEMORY_MS > at

export class IdempotencyKeyReused extends DomainError {
  constructor() {
    super('IDEMPOTENCY_KEY_REUSED', 'This Idempotency-Key was used with another request; use a new key.')
  }
}

export class RequestInProgress extends DomainError {
  /** Of the one that is running. */
  readonly requestId: Uuid

  constructor(requestId: Uuid) {
    super(
      'REQUEST_IN_PROGRESS',
      'A request with this Idempotency-Key is still running; try again when it is done.',
    )
    this.requestId = requestId
  }
}

export const request: Decider<RequestCommand, RequestEvent, Request> = {
  initialState: () => ({ current: null, abandoned: [], erased: false }),

  evolve(state, event) {
    switch (event.type) {
      case 'RequestStarted': {
        const { accountId, requestId, fingerprint, at } = event
        return { ...state, current: { accountId, requestId, fingerprint, startedAt: at, answer: null } }
      }
      case 'RequestCompleted':
        return { ...state, current: state.current && { ...state.current, answer: event.answer } }
      case 'RequestAbandoned': {
        const { current, abandoned } = state
        if (!current) return state
        const { requestId, fingerprint, startedAt } = current
        const known = abandoned.slice(1 - MOST_ABANDONED)
        return { ...state, current: null, abandoned: [...known, { requestId, fingerprint, startedAt }] }
      }
      case 'RequestErased':
        return { current: null, abandoned: [], erased: true }
    }
  },

  decide(command, state) {
    if (command.type === 'EraseRequest') return erase(command, state)
    if (command.type === 'StartRequest') return start(command, state)
    const { current } = state
    if (current?.requestId !== command.requestId || current.answer) return []
    const { accountId } = current
    return command.type === 'CompleteRequest'
      ? [{ ...command, type: 'RequestCompleted', accountId }]
      : [{ ...command, type: 'RequestAbandoned', accountId }]
  },
}

/** One that its process left open ends with it. */
function erase(
  { accountId, at }: Extract<RequestCommand, { type: 'EraseRequest' }>,
  { current, erased }: Request,
): RequestEvent[] {
  if (erased) return []
  const isOpen = current !== null && current.answer === null
  return [
    ...(isOpen ? [{ type: 'RequestAbandoned' as const, accountId, requestId: current.requestId, at }] : []),
    { type: 'RequestErased', accountId, at },
  ]
}

/** @throws AccountIsClosed, IdempotencyKeyReused, RequestInProgress */
function start({ known, ...command }: StartRequest, state: Request): RequestEvent[] {
  if (state.erased) throw new AccountIsClosed()
  const holder = holderAt(state, command.at)
  if (holder?.requestId === command.requestId) return []
  if (holder) {
    if (holder.fingerprint !== command.fingerprint) throw new IdempotencyKeyReused()
    if (!holder.answer) throw new RequestInProgress(holder.requestId)
    return []
  }
  const areKnown = known === null || abandonedTwins(state, command).every((twin) => known.includes(twin))
  return areKnown ? [{ ...command, type: 'RequestStarted' }] : []
}
