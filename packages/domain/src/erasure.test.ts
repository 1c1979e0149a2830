import { describe, expect, test } from 'vitest'
import { fold } from '@medialog/kernel'
import { erasure, type ErasedIngest, type ErasureCommand, type ErasureEvent } from './erasure.ts'
import { given } from './testing/given-when-then.ts'

const at = 1
const ingest = (ingestId: string): ErasedIngest => ({
  mediaId: `media of ${ingestId}`,
  ingestId,
  mediaType: 'document',
  sha256: 'c0ffee',
  artifacts: { 'vectors.bin': 'c0ffee' },
})
const what = { accountId: 'a', subject: { kind: 'items' as const } }
const request: ErasureCommand = { type: 'RequestErasure', ...what, ingests: [ingest('i')], at }
const requested: ErasureEvent = { type: 'ErasureRequested', ...what, ingests: [ingest('i')], at }
const extend = (...ids: string[]): ErasureCommand => ({ type: 'ExtendErasure', ingests: ids.map(ingest), at })
const extended = (...ids: string[]): ErasureEvent => ({
  type: 'ErasureExtended',
  accountId: 'a',
  ingests: ids.map(ingest),
  at,
})
const done = { digest: 'd', stores: [{ store: 'log' as const, how: 'overwritten' }], at }
const complete: ErasureCommand = { type: 'CompleteErasure', ...done }
const completed = (ingests: number): ErasureEvent => ({
  type: 'ErasureCompleted',
  accountId: 'a',
  ingests,
  ...done,
})

describe('an erasure', () => {
  test('is requested once', () => {
    given(erasure).when(request).then(requested)
    given(erasure, requested).when(request).thenNothing()
    given(erasure, requested, completed(1)).when(request).thenNothing()
  })

  test('names each ingest once, as long as it is open', () => {
    given(erasure, requested).when(extend('i', 'j')).then(extended('j'))
    given(erasure, requested, extended('j')).when(extend('i', 'j')).thenNothing()
    given(erasure).when(extend('j')).thenNothing()
    given(erasure, requested, completed(1)).when(extend('j')).thenNothing()
    expect(fold(erasure, [requested, extended('j')])).toMatchObject({ status: 'open', subject: what.subject })
  })

  test('is completed once, with how many it named', () => {
    given(erasure, requested, extended('j', 'k')).when(complete).then(completed(3))
    given(erasure, requested, completed(1)).when(complete).thenNothing()
    given(erasure).when(complete).thenNothing()
  })

  test('of which only the end is left is still completed', () => {
    expect(fold(erasure, [completed(2)])).toMatchObject({ status: 'completed', accountId: 'a' })
  })
})
