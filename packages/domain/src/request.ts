import { DomainError, type Decider, type Json, type Uuid } from '@medialog/kernel'

/** How long an Idempotency-Key is kept, in milliseconds. */
export const REQUEST_MEMORY_MS = 24 * 60 * 60 * 1000

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

export type RequestCommand =
  | { type: 'StartRequest'; accountId: Uuid; requestId: Uuid; fingerprint: string; at: number }
  | { type: 'CompleteRequest'; requestId: Uuid; answer: { [key: string]: Json }; at: number }
  | { type: 'AbandonRequest'; requestId: Uuid; at: number }

export interface Request {
  current: {
    accountId: Uuid
    requestId: Uuid
    fingerprint: string
    startedAt: number
    answer: { [key: string]: Json } | null
  } | null
}

export class IdempotencyKeyReused extends DomainError {
  constructor() {
    super('IDEMPOTENCY_KEY_REUSED', 'This Idempotency-Key was used with another request; use a new key.')
  }
}

export class RequestInProgress extends DomainError {
  constructor() {
    super(
      'REQUEST_IN_PROGRESS',
      'A request with this Idempotency-Key is still running; try again when it is done.',
    )
  }
}

export const request: Decider<RequestCommand, RequestEvent, Request> = {
  initialState: () => ({ current: null }),

  evolve(state, event) {
    switch (event.type) {
      case 'RequestStarted': {
        const { accountId, requestId, fingerprint, at } = event
        return { current: { accountId, requestId, fingerprint, startedAt: at, answer: null } }
      }
      case 'RequestCompleted':
        return { current: state.current && { ...state.current, answer: event.answer } }
      case 'RequestAbandoned':
        return { current: null }
    }
  },

  decide(command, state) {
    const current = state.current
    if (command.type === 'StartRequest') {
      if (!current || current.startedAt + REQUEST_MEMORY_MS <= command.at)
        return [{ ...command, type: 'RequestStarted' }]
      if (current.requestId === command.requestId) return []
      if (current.fingerprint !== command.fingerprint) throw new IdempotencyKeyReused()
      if (!current.answer) throw new RequestInProgress()
      return []
    }
    if (current?.requestId !== command.requestId || current.answer) return []
    const { accountId } = current
    return command.type === 'CompleteRequest'
      ? [{ ...command, type: 'RequestCompleted', accountId }]
      : [{ ...command, type: 'RequestAbandoned', accountId }]
  },
}
