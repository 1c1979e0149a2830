import type { DomainEvent } from '@medialog/domain'
import type { JsonObject } from '@medialog/kernel'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { encodeEvent, eventSchemas } from '../events.ts'
import { publications, publicationOf, publishedPayload } from './published.ts'
import { anyEvent } from './testing/arbitraries.ts'

const TYPES = Object.keys(eventSchemas) as DomainEvent['type'][]
const published = TYPES.filter((type) => publicationOf(type) !== 'internal')

const WITHHELD = /filename|digest|requestStream|fingerprint|answer|stagedId/i

/** Every name of a member, at any depth. */
const namesIn = (value: unknown): string[] =>
  typeof value === 'object' && value !== null
    ? Object.entries(value).flatMap(([name, inner]) => [
        ...(Array.isArray(value) ? [] : [name]),
        ...namesIn(inner),
      ])
    : []

test('every event type is published on a topic or named as internal', () => {
  expect(Object.keys(publications).toSorted()).toEqual(TYPES.toSorted())
})

test('nothing of accounts, keys and requests is published, nor a batch before it is created', () => {
  expect(TYPES.filter((type) => publicationOf(type) === 'internal')).toEqual([
    'AccountOpened',
    'TierChanged',
    'AccountSuspended',
    'AccountReinstated',
    'AccountClosed',
    'AccountErased',
    'ApiKeyIssued',
    'ApiKeyRotated',
    'ApiKeyRevoked',
    'LedgerClosed',
    'IngestClaimed',
    'IngestReleased',
    'LibraryErased',
    'BatchSubmitted',
    'BatchRejected',
    'BatchErased',
    'FilesNamed',
    'FileNamesErased',
    'RequestStarted',
    'RequestCompleted',
    'RequestAbandoned',
    'RequestErased',
    'LogCheckpointed',
    'SigningKeyReplaced',
    'WebhookAdded',
    'WebhookChanged',
    'WebhookPaused',
    'WebhookResumed',
    'WebhookDisabled',
    'WebhookSecretRotated',
    'WebhookRewound',
    'WebhookTested',
    'DeliveryResent',
    'WebhookRemoved',
    'WebhooksErased',
    'ErasureRequested',
    'ErasureExtended',
    'ErasureCompleted',
  ])
})

describe.each(published)('%s', (type) => {
  const publication = publicationOf(type)
  if (publication === 'internal') throw new Error(`${type} is not published`)

  test('is published as it is stored, without what may tell of content and without Idempotency-Keys', () => {
    fc.assert(
      fc.property(anyEvent[type] as fc.Arbitrary<DomainEvent>, (event) => {
        const payload = publishedPayload(publication, event)
        expect(payload).toEqual(withoutWithheld(encodeEvent(event)))
        expect(namesIn(payload).filter((name) => WITHHELD.test(name))).toEqual([])
      }),
      { numRuns: 40 },
    )
  })
})

test('a payload that is not what its type says is not published', () => {
  const publication = publicationOf('ChargeSettled')
  if (publication === 'internal') throw new Error('ChargeSettled is not published')
  const event = { type: 'ChargeSettled', chargeId: 7, at: 1 } as unknown as DomainEvent
  expect(() => publishedPayload(publication, event)).toThrow(/chargeId/)
})

function withoutWithheld({ type, data }: { type: string; data: JsonObject }): JsonObject {
  const { filename: _, ...rest } = data
  if (type === 'MediaDeleted') for (const field of ['reason', 'lives']) delete rest[field]
  if (type === 'BalanceCharged') {
    const { requestStream: _, ...cause } = data['cause'] as JsonObject
    return { ...rest, cause }
  }
  return rest
}
