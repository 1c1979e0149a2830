import { StreamDamaged, type DamagedStream } from '@medialog/application/ports'
import { BEGINNING, type StreamName } from '@medialog/kernel'
import { describe, expect, test, vi } from 'vitest'
import { all, take } from '../../contract/fixture.ts'
import type { EventStoreDbOptions } from '../../eventstoredb/store.ts'
import { newEvent, newEvents } from '../events.ts'
import { emptyLog } from './empty-log.ts'
import { intrude, type Intruder } from './intruder.ts'

const ignore = () => undefined
const never = () => new AbortController().signal
const BAD: StreamName = 'ledger-bad'
const GOOD: StreamName = 'ledger-good'

interface Hand {
  does: (by: Intruder, stream: string) => Promise<void>
  /** Of the first bad event; null: the stream as a whole. */
  revision: number | null
  reason: RegExp
  /** How many of the log's eight events are found good by the proof. */
  events: number
}

const HANDS: Record<string, Hand> = {
  'an event of somebody else': {
    does: (by, stream) => by.plant(stream),
    revision: 4,
    reason: /^the event was not written by the service$/,
    events: 8,
  },
  'an event of somebody else, of a type that the service has': {
    does: (by, stream) => by.plant(stream, 'MediaIngested'),
    revision: 4,
    reason: /^the event was not written by the service$/,
    events: 8,
  },
  'a tombstone': {
    does: (by, stream) => by.tombstone(stream),
    revision: null,
    reason: /with a tombstone$/,
    events: 4,
  },
  'a deletion': {
    does: (by, stream) => by.softDelete(stream),
    revision: null,
    reason: /^it was deleted by somebody else/,
    events: 4,
  },
  'a truncation': {
    does: (by, stream) => by.hideBefore(stream, 2),
    revision: null,
    reason: /^its revisions below 2 are hidden, and no erasure tells why$/,
    events: 5,
  },
}

/** What somebody else with access to the server does to one stream of the log, and what it does to the others: nothing. */
export function describeDamage(
  name: string,
  serve: () => Promise<{ options: EventStoreDbOptions; close(): Promise<void> }>,
) {
  async function twoStreams() {
    const server = await serve()
    const heard: DamagedStream[] = []
    const log = await emptyLog(
      {
        ...server.options,
        mayBegin: ({ type }) => type === 'MediaDeleted',
        onDamage: (damage) => heard.push(damage),
      },
      () => server.close(),
    )
    for (let revision = -1; revision < 3; revision++)
      for (const stream of [BAD, GOOD])
        await log.store.append(stream, revision < 0 ? 'no-stream' : revision, newEvents(1))
    return {
      log,
      heard,
      by: intrude(server.options.url, server.options.tls),
      bad: `${log.prefix}${BAD}`,
      [Symbol.asyncDispose]: () => log.close(),
    }
  }

  describe(`damage by somebody else: ${name}`, () => {
    test.each(Object.keys(HANDS))(
      '%s: the stream is refused, named and noted; all others go on',
      async (hand) => {
        const { does, revision, reason, events } = HANDS[hand]!
        await using it = await twoStreams()
        const { store } = it.log
        const before = await all(store.readAll(BEGINNING))
        const good = before.filter(({ stream }) => stream === GOOD)
        await using by = it.by
        await does(by, it.bad)

        const damage = { stream: BAD, revision, reason: expect.stringMatching(reason) as string }
        const refused = { name: 'StreamDamaged', damage }
        await expect(all(store.read(BAD))).rejects.toMatchObject(refused)
        await expect(all(store.read(BAD, { direction: 'backwards' }))).rejects.toMatchObject(refused)
        await store.append(GOOD, 3, newEvents(1))
        const last = await all(store.read(GOOD))
        expect(last.slice(0, 4)).toEqual(good)

        const seen = async (of: typeof store) => [
          await all(of.readAll(BEGINNING)),
          await all(of.readAll(BEGINNING, { proven: true })),
          await take(of.subscribe(BEGINNING, { signal: never() }), (_, { live }) => live),
        ]
        // What stands before a strange event is what was written; of a stream that hides something nothing is.
        const shown = revision === null ? last : [...before, last[4]!]
        expect(await seen(store)).toEqual([shown, shown, shown])
        const proof = await store.verify(ignore)
        expect(proof).toMatchObject({ events: events + 1, erased: 0 })
        expect(proof.findings[0]).toMatchObject({
          stream: BAD,
          reason: expect.stringMatching(reason) as string,
        })
        expect(it.heard).toEqual([damage])
        // After a restart, though nothing is read yet.
        await vi.waitFor(async () => expect(await store.damaged()).toEqual([damage]))
        const again = await it.log.reopen()
        expect(await again.damaged()).toEqual([damage])
        expect(await seen(again)).toEqual([shown, shown, shown])
      },
    )

    test.each(Object.keys(HANDS))('%s: seen by a subscription as it happens, which goes on', async (hand) => {
      const { does, reason } = HANDS[hand]!
      await using it = await twoStreams()
      const { store } = it.log
      await using by = it.by
      const stop = new AbortController()
      const followed: string[] = []
      const following = (async () => {
        for await (const { events } of store.subscribe(BEGINNING, { signal: stop.signal }))
          followed.push(...events.map(({ stream, revision }) => `${stream} ${revision}`))
      })()
      await vi.waitFor(() => expect(followed).toHaveLength(8), { timeout: 20_000 })
      await does(by, it.bad)
      await vi.waitFor(
        () =>
          expect(it.heard).toMatchObject([{ stream: BAD, reason: expect.stringMatching(reason) as string }]),
        { timeout: 20_000 },
      )
      await store.append(GOOD, 3, newEvents(1))
      await vi.waitFor(() => expect(followed.slice(8)).toEqual([`${GOOD} 4`]), { timeout: 20_000 })
      stop.abort()
      await following
    })

    test.each(Object.keys(HANDS))('%s: nothing is appended', async (hand) => {
      const { does } = HANDS[hand]!
      await using it = await twoStreams()
      const { store } = it.log
      await using by = it.by
      await does(by, it.bad)
      // As the service does: reads first, and decides on what it read.
      const appending = async () => {
        const stream = await all(store.read(BAD))
        return store.append(BAD, stream.at(-1)?.revision ?? 'no-stream', newEvents(1))
      }
      await expect(appending()).rejects.toBeInstanceOf(StreamDamaged)
    })

    test('nothing is appended by a process that has not met what another one noted', async () => {
      await using it = await twoStreams()
      const { store } = it.log
      await using by = it.by
      await by.hideBefore(it.bad, 2)
      await expect(all(store.read(BAD))).rejects.toBeInstanceOf(StreamDamaged)
      await vi.waitFor(async () => expect(await store.damaged()).toHaveLength(1))
      const another = await it.log.reopen()
      await expect(another.append(BAD, 3, newEvents(1))).rejects.toBeInstanceOf(StreamDamaged)
      await another.append(GOOD, 3, newEvents(1))
      await by.hideBefore(it.bad, 0)
      await another.append(BAD, 3, newEvents(1))
    })

    test('what its operator mends is whole again', async () => {
      await using it = await twoStreams()
      const { store } = it.log
      await using by = it.by
      const before = await all(store.readAll(BEGINNING))
      await by.hideBefore(it.bad, 2)
      expect(await all(store.readAll(BEGINNING))).toHaveLength(4)
      await vi.waitFor(async () => expect(await store.damaged()).toHaveLength(1))
      await by.hideBefore(it.bad, 0)
      // Also by a process that does not ask what is damaged.
      expect(await all(store.readAll(BEGINNING, { proven: true }))).toEqual(before)
      expect(await store.damaged()).toEqual([])
      expect(await all(store.read(BAD))).toHaveLength(4)
      await store.append(BAD, 3, newEvents(1))
    })

    test('what another program writes beside the notes of damage is passed over', async () => {
      await using it = await twoStreams()
      const { store } = it.log
      await using by = it.by
      await by.plant(it.log.prefix.replace(/\.$/, '-damaged'))
      expect(await store.damaged()).toEqual([])
      await by.plant(it.bad)
      await expect(all(store.read(BAD))).rejects.toBeInstanceOf(StreamDamaged)
      const again = await it.log.reopen()
      expect(await again.damaged()).toMatchObject([{ stream: BAD, revision: 4 }])
    })

    test('without its notes each process says what it met itself', async () => {
      await using it = await twoStreams()
      const { store } = it.log
      await using by = it.by
      await by.tombstone(it.log.prefix.replace(/\.$/, '-damaged'))
      expect(await store.damaged()).toEqual([])
      await by.plant(it.bad)
      await expect(all(store.read(BAD))).rejects.toBeInstanceOf(StreamDamaged)
      expect(await store.damaged()).toMatchObject([{ stream: BAD, revision: 4 }])
    })

    test('what an erasure hides is no damage', async () => {
      await using it = await twoStreams()
      const { store } = it.log
      await store.append(BAD, 3, [newEvent({}, 'MediaDeleted')])
      await store.truncate(BAD, 4)
      expect(await all(store.read(BAD))).toMatchObject([{ revision: 4 }])
      expect(await all(store.readAll(BEGINNING, { proven: true }))).toHaveLength(5)
      expect(await store.verify(ignore)).toMatchObject({ events: 5, erased: 4, found: 0 })
      expect(await store.damaged()).toEqual([])
    })
  })
}
