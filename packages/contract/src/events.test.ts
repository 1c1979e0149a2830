import type { DomainEvent } from '@medialog/domain'
import type { JsonObject } from '@medialog/kernel'
import fc from 'fast-check'
import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, expectTypeOf, test } from 'vitest'
import { z } from 'zod'
import {
  currentVersion,
  decodeEvent,
  decodeRecorded,
  encodeEvent,
  eventSchemas,
  isKnownType,
  isMisplaced,
  UnreadableEvent,
} from './events.ts'
import { anyEvent } from './events/testing/arbitraries.ts'

const TYPES = Object.keys(eventSchemas) as DomainEvent['type'][]
const stored = (event: DomainEvent) => JSON.parse(JSON.stringify(encodeEvent(event))) as Encoded
type Encoded = ReturnType<typeof encodeEvent>

const SAMPLES = new URL('../samples/', import.meta.url)
const samples = readdirSync(SAMPLES).map((file) => ({
  file,
  sample: JSON.parse(readFileSync(new URL(file, SAMPLES), 'utf8')) as Encoded,
}))
const sampleOf = (type: DomainEvent['type']) =>
  samples.find(({ file }) => file === `${type}.v${currentVersion(type)}.json`)!.sample

type Payload<Schema extends z.ZodType> =
  z.output<Schema> extends Record<string, never> ? object : z.output<Schema>
type SchemaOutputs = {
  [Type in keyof typeof eventSchemas]: { type: Type } & Payload<(typeof eventSchemas)[Type]>
}[keyof typeof eventSchemas]

describe('schemas', () => {
  test('are there for every event of the domain, and for nothing else', () => {
    expect(TYPES.toSorted()).toStrictEqual(Object.keys(anyEvent).toSorted())
    expect(TYPES.filter((type) => !isKnownType(type))).toStrictEqual([])
    expectTypeOf<keyof typeof eventSchemas>().toEqualTypeOf<DomainEvent['type']>()
  })

  test('say the same as the types of the domain, both ways', () => {
    expectTypeOf<SchemaOutputs>().toExtend<DomainEvent>()
    expectTypeOf<DomainEvent>().toExtend<SchemaOutputs>()
  })

  test('have their place in streams of one kind', () => {
    expect(isMisplaced({ type: 'MediaDeleted', stream: 'media-a' })).toBe(false)
    expect(isMisplaced({ type: 'MediaDeleted', stream: 'mediation-a' })).toBe(true)
    expect(isMisplaced({ type: 'WebhooksErased', stream: 'media-a' })).toBe(true)
    expect(isMisplaced({ type: 'of a later release', stream: 'media-a' })).toBe(false)
  })

  test('know no type by an inherited name', () => {
    expect(isKnownType('constructor')).toBe(false)
    expect(() => decodeEvent({ type: 'constructor', version: 1, data: {} })).toThrow('unknown event type')
  })
})

test.each(TYPES)('%s survives the log unchanged', (type) => {
  fc.assert(
    fc.property(anyEvent[type] as fc.Arbitrary<DomainEvent>, (event) => {
      expect(decodeEvent(stored(event))).toStrictEqual(event)
    }),
    { numRuns: 60 },
  )
})

test('an answer keeps every name it has', () => {
  const { data } = sampleOf('RequestCompleted')
  const answer = JSON.parse('{"a":{"__proto__":null,"b":1},"__proto__":{"c":2}}') as JsonObject
  const { answer: read } = decodeEvent({
    type: 'RequestCompleted',
    version: 1,
    data: { ...data, answer },
  }) as { answer?: JsonObject }
  expect(JSON.stringify(read)).toBe('{"a":{"__proto__":null,"b":1},"__proto__":{"c":2}}')
})

describe('money', () => {
  const huge = 123_456_789_012_345_678_901n

  test('travels as digits, beyond what a JSON number holds', () => {
    const event: DomainEvent = {
      type: 'BalanceCredited',
      creditId: 'c',
      amount: huge,
      reference: null,
      at: 1,
    }
    expect(stored(event).data).toStrictEqual({
      creditId: 'c',
      amount: '123456789012345678901',
      reference: null,
      at: 1,
    })
    expect(decodeEvent(stored(event))).toStrictEqual(event)
  })

  test.each([40_000_000, '0.04', '4e7', '', ' 1', '0x10', '1n', null])('is never read from %j', (amount) => {
    const { data } = sampleOf('BalanceCredited')
    expect(() => decodeEvent({ type: 'BalanceCredited', version: 1, data: { ...data, amount } })).toThrow(
      z.ZodError,
    )
  })
})

describe('a payload that no release wrote', () => {
  test('is said with the place of its event and every field that is wrong', () => {
    const { amount: _, ...data } = sampleOf('BalanceCredited').data
    const place = { position: 12, revision: 3, stream: 'ledger-x' } as const
    const recorded = { ...place, type: 'BalanceCredited', version: 1, data: { ...data, at: 'noon' } }
    const decoding = () => decodeRecorded(recorded as never)
    expect(decoding).toThrow(UnreadableEvent)
    expect(decoding).toThrow(
      /^BalanceCredited at position 12, revision 3 of ledger-x, cannot be read: amount: .+; at: .+$/,
    )
    expect(() => decodeRecorded({ ...recorded, version: 9 } as never)).toThrow(
      'BalanceCredited at position 12, revision 3 of ledger-x, cannot be read: BalanceCredited of version 9, known',
    )
  })

  const required = TYPES.flatMap((type) => Object.keys(sampleOf(type).data).map((field) => ({ type, field })))

  test.each(required)('$type without $field is refused', ({ type, field }) => {
    const { [field]: _, ...data } = sampleOf(type).data
    expect(() => decodeEvent({ type, version: currentVersion(type), data })).toThrow(z.ZodError)
  })

  test.each<[DomainEvent['type'], JsonObject]>([
    ['AccountOpened', { tier: 'gold' }],
    ['AccountOpened', { accountId: 'not-a-uuid' }],
    ['AccountOpened', { at: '2026-11-20T00:00:00.000Z' }],
    ['AccountOpened', { at: 1.5 }],
    ['ApiKeyIssued', { digest: 'abc' }],
    ['BooksClosed', { month: '2026-13' }],
    ['BooksClosed', { month: '2026' }],
    ['MediaIngested', { mediaType: 'scroll' }],
    ['MediaIngested', { place: null }],
    ['MediaIngested', { sizeBytes: -1 }],
    ['ItemsMoved', { place: { collection: 'x', generation: 0.5 } }],
    ['ItemsMoved', { mediaIds: 'all' }],
    ['JobFailed', { code: 'bad_luck' }],
  ])('%s with %j is refused', (type, wrong) => {
    const { version, data } = sampleOf(type)
    expect(() => decodeEvent({ type, version, data: { ...data, ...wrong } })).toThrow(z.ZodError)
  })

  test('is not written either', () => {
    const event = { ...decodeEvent(sampleOf('BalanceCredited')), amount: 0.04 } as unknown as DomainEvent
    expect(() => encodeEvent(event)).toThrow(z.ZodError)
  })
})

describe('what a later release may have written', () => {
  test('fields that this one does not know are left out: readers never see them', () => {
    const { type, version, data } = sampleOf('MediaIngested')
    const known = decodeEvent({ type, version, data })
    const place = { ...(data['place'] as JsonObject), shelf: 3 }
    expect(decodeEvent({ type, version, data: { ...data, place, mood: 'blue' } })).toStrictEqual(known)
  })

  test('a later version of a type is refused, not guessed at', () => {
    const { type, version, data } = sampleOf('BalanceCharged')
    for (const other of [version + 1, 0, 1.5])
      expect(() => decodeEvent({ type, version: other, data })).toThrow(`BalanceCharged of version ${other}`)
  })

  test('fields that are no part of an event are not written', () => {
    const event = Object.assign(decodeEvent(sampleOf('ChargeSettled')), { secret: 's' })
    expect(encodeEvent(event)).toStrictEqual(sampleOf('ChargeSettled'))
  })
})

describe('stored samples: what was released once can be read for ever', () => {
  test('are there for every version of every type', () => {
    const expected = TYPES.flatMap((type) =>
      Array.from({ length: currentVersion(type) }, (_, index) => `${type}.v${index + 1}.json`),
    )
    expect(samples.map(({ file }) => file).toSorted()).toStrictEqual(expected.toSorted())
  })

  test.each(samples)('$file', ({ file, sample }) => {
    expect(file).toBe(`${sample.type}.v${sample.version}.json`)
    const event = decodeEvent(sample)
    expect(event.type).toBe(sample.type)
    // Nothing of a current sample is lost on the way in and out; an older one comes out lifted.
    const current = sampleOf(event.type)
    expect(encodeEvent(event)).toStrictEqual(sample.version === current.version ? sample : current)
  })
})
