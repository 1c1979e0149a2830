import { QuotaExceeded } from '@medialog/application/core/errors'
import { EngineUnavailable, UnreadableFile, UnsupportedFileType } from '@medialog/application/ports'
import {
  AccountIsClosed,
  ClaimLost,
  DuplicateMedia,
  IngestInProgress,
  InsufficientFunds,
} from '@medialog/domain'
import { ActivityFailure, ApplicationFailure, type RetryState } from '@temporalio/common'
import { expect, test } from 'vitest'
import { JobStopped } from '../stopping.ts'
import { errorOf, failureOfKnown, StepFailed } from './failures.ts'
import { payloadConverter } from './payload-converter.ts'

/** As it comes out on the other side. */
function crossed(error: Error): Error {
  const { message, type, details } = failureOfKnown(error)!
  const sent = details!.map((detail) => payloadConverter.fromPayload(payloadConverter.toPayload(detail)))
  const failure = ApplicationFailure.create({ message, type: type!, details: sent })
  const state = 'NON_RETRYABLE_FAILURE' as RetryState
  return errorOf(new ActivityFailure('Activity failed', 'ingest.claim', '1', state, 'a worker', failure))
}

test.each([
  new AccountIsClosed(),
  new ClaimLost(),
  new DuplicateMedia({ media_id: 'doc_1', collection: 'default' }),
  new DuplicateMedia(),
  new EngineUnavailable('extractors', 'Away.', { retryAfterSeconds: 9 }),
  new IngestInProgress('0190d3c2-6f0e-7b1a-9c1d-2f6f5f0a7b11'),
  new InsufficientFunds(40_000_000n, 9_007_199_254_740_993n),
  new JobStopped(),
  new QuotaExceeded(100, 101),
  new StepFailed(),
  new UnreadableFile('encrypted', 'It needs a password.'),
  new UnsupportedFileType('a.b', 'No such format.'),
])('%s is the same on the other side', (error) => {
  const same = crossed(error)
  expect(same.constructor).toBe(error.constructor)
  expect([same.message, Object.entries(same)]).toEqual([error.message, Object.entries(error)])
})

test('an error that the saga does not know crosses without its message', () => {
  expect(failureOfKnown(new Error('quotes the file'))).toBeNull()
  expect(errorOf(new Error('quotes the file'))).toBeInstanceOf(StepFailed)
  expect(errorOf(ApplicationFailure.create({ type: 'Unheard', message: 'x' }))).toBeInstanceOf(StepFailed)
})

test('amounts cross to the last digit, and nothing else changes', () => {
  const value = { amount: 123_456_789_012_345_678n, list: [1n, null, 'text', { at: 1.5 }], none: undefined }
  const { none: _, ...kept } = value
  expect(payloadConverter.fromPayload(payloadConverter.toPayload(value))).toEqual(kept)
  expect(payloadConverter.fromPayload(payloadConverter.toPayload(undefined))).toBeUndefined()
})
