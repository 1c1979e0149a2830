import { fold } from '@medialog/kernel'
import { describe, expect, test } from 'vitest'
import {
  abandonedTwins,
  IdempotencyKeyReused,
  request,
  REQUEST_MEMORY_MS,
  RequestInProgress,
  type RequestCommand,
  type RequestEvent,
} from './request.ts'
import { AccountIsClosed } from './account.ts'
import { given } from './testing/given-when-then.ts'

const start = (
  requestId: string,
  { fingerprint = 'f', at = 0, known = null as string[] | null } = {},
): RequestCommand => ({ type: 'StartRequest', accountId: 'a', requestId, fingerprint, known, at })
const started = (requestId: string, { fingerprint = 'f', at = 0 } = {}): RequestEvent => ({
  type: 'RequestStarted',
  accountId: 'a',
  requestId,
  fingerprint,
  at,
})
const answer = { mediaId: 'm' }
const complete = (requestId: string): RequestCommand => ({
  type: 'CompleteRequest',
  requestId,
  answer,
  at: 5,
})
const completed = (requestId: string): RequestEvent => ({
  type: 'RequestCompleted',
  accountId: 'a',
  requestId,
  answer,
  at: 5,
})
const abandon = (requestId: string): RequestCommand => ({ type: 'AbandonRequest', requestId, at: 5 })
const abandoned = (requestId: string): RequestEvent => ({
  type: 'RequestAbandoned',
  accountId: 'a',
  requestId,
  at: 5,
})

describe('a request with an Idempotency-Key', () => {
  test('starts', () => {
    given(request).when(start('r1')).then(started('r1'))
    given(request, started('r1')).when(start('r1')).thenNothing()
  })

  test('refuses its twin while it runs', () => {
    given(request, started('r1'))
      .when(start('r2'))
      .thenFails(RequestInProgress, { code: 'REQUEST_IN_PROGRESS', requestId: 'r1' })
  })

  test('answers its twin once it is done', () => {
    given(request, started('r1'), completed('r1')).when(start('r2')).thenNothing()
    expect(fold(request, [started('r1'), completed('r1')]).current).toMatchObject({ requestId: 'r1', answer })
  })

  test('refuses another request under its key, running or done', () => {
    const other = start('r2', { fingerprint: 'g' })
    const reused = { code: 'IDEMPOTENCY_KEY_REUSED' }
    given(request, started('r1')).when(other).thenFails(IdempotencyKeyReused, reused)
    given(request, started('r1'), completed('r1')).when(other).thenFails(IdempotencyKeyReused, reused)
  })

  test('is completed once', () => {
    given(request, started('r1')).when(complete('r1')).then(completed('r1'))
    given(request, started('r1'), completed('r1')).when(complete('r1')).thenNothing()
  })

  test('is abandoned once, and never after it is done', () => {
    given(request, started('r1')).when(abandon('r1')).then(abandoned('r1'))
    given(request, started('r1'), abandoned('r1')).when(abandon('r1')).thenNothing()
    given(request, started('r1'), completed('r1')).when(abandon('r1')).thenNothing()
    given(request, started('r1'), abandoned('r1')).when(complete('r1')).thenNothing()
  })

  test('that was abandoned leaves its key free for any other', () => {
    const retry = { fingerprint: 'g', at: 6 }
    given(request, started('r1'), abandoned('r1')).when(start('r2', retry)).then(started('r2', retry))
  })

  test('cannot be ended by another one, or before it starts', () => {
    given(request).when(complete('r1')).thenNothing()
    given(request).when(abandon('r1')).thenNothing()
    given(request, started('r1')).when(complete('r2')).thenNothing()
    given(request, started('r1')).when(abandon('r2')).thenNothing()
  })
})

describe('what is remembered of abandoned requests', () => {
  const twins = (events: RequestEvent[], { fingerprint = 'f', at = 30 } = {}) =>
    abandonedTwins(fold(request, events), { fingerprint, at })

  test('those that were the same: until their outcome is known the next does not start', () => {
    const other = { fingerprint: 'g', at: 1 }
    const before = [started('r1'), abandoned('r1'), started('r2', other), abandoned('r2')]
    expect(twins(before)).toEqual(['r1'])
    expect(twins(before, other)).toEqual(['r2'])
    given(request, ...before)
      .when(start('r3', { known: [] }))
      .thenNothing()
    given(request, ...before)
      .when(start('r3', { known: ['r2'] }))
      .thenNothing()
    for (const known of [['r1'], null])
      given(request, ...before)
        .when(start('r3', { known }))
        .then(started('r3'))
    const twice = [...before, started('r3'), abandoned('r3')]
    given(request, ...twice)
      .when(start('r4', { known: ['r3'] }))
      .thenNothing()
    given(request, ...twice)
      .when(start('r4', { known: ['r1', 'r3'] }))
      .then(started('r4'))
  })

  test('for a day from their start, and no more than the latest twenty', () => {
    const before = Array.from({ length: 25 }, (_, n) => [
      started(`r${n}`, { at: n }),
      abandoned(`r${n}`),
    ]).flat()
    expect(twins(before)).toEqual(Array.from({ length: 20 }, (_, n) => `r${n + 5}`))
    expect(twins(before, { at: REQUEST_MEMORY_MS + 23 })).toEqual(['r24'])
  })
})

describe('after 24 hours', () => {
  const later = { fingerprint: 'g', at: REQUEST_MEMORY_MS }

  test('a key is free again, whatever became of its request', () => {
    given(request, started('r1')).when(start('r2', later)).then(started('r2', later))
    given(request, started('r1'), completed('r1')).when(start('r2', later)).then(started('r2', later))
  })

  test('but not a moment before', () => {
    given(request, started('r1'), completed('r1'))
      .when(start('r2', { ...later, at: REQUEST_MEMORY_MS - 1 }))
      .thenFails(IdempotencyKeyReused)
  })

  test('the first request can no longer end the one that took its key', () => {
    given(request, started('r1'), started('r2', later)).when(complete('r1')).thenNothing()
    given(request, started('r1'), started('r2', later)).when(abandon('r1')).thenNothing()
    given(request, started('r1'), completed('r1'), started('r2', later))
      .when(start('r3', later))
      .thenFails(RequestInProgress)
  })

  test('the day counts from the start of the request that holds the key', () => {
    expect(REQUEST_MEMORY_MS).toBe(86_400_000)
    given(request, started('r1'), started('r2', later))
      .when(start('r3', { fingerprint: 'g', at: 2 * REQUEST_MEMORY_MS - 1 }))
      .thenFails(RequestInProgress)
  })
})

describe('the request of an account that is closed', () => {
  const erase: RequestCommand = { type: 'EraseRequest', accountId: 'a', at: 5 }
  const erased: RequestEvent = { type: 'RequestErased', accountId: 'a', at: 5 }

  test('is erased once, with one that its process left open', () => {
    given(request, started('r1'), completed('r1')).when(erase).then(erased)
    given(request, started('r1'), abandoned('r1')).when(erase).then(erased)
    given(request, started('r1')).when(erase).then(abandoned('r1'), erased)
    given(request, started('r1'), completed('r1'), erased).when(erase).thenNothing()
  })

  test('is not begun or ended any more', () => {
    given(request, started('r1'), abandoned('r1'), erased).when(complete('r1')).thenNothing()
    given(request, started('r1'), completed('r1'), erased)
      .when(start('r1'))
      .thenFails(AccountIsClosed, { code: 'ACCOUNT_CLOSED' })
  })
})
