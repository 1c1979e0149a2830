import {
  EngineUnavailable,
  PublisherSuperseded,
  type EventPublisher,
  type PublishedMessage,
  type PublishedUpTo,
} from '@medialog/application/ports'
import { describe, expect, onTestFinished, test } from 'vitest'

export interface PublisherUnderTest {
  /** Another publisher of that name, to the same place. */
  create(name: string): EventPublisher
  /** All that readers see by now, those of one key in order. */
  read(): Promise<PublishedMessage[]>
  close(): Promise<void>
}

/** What every EventPublisher must do, whatever it publishes to. `factory` is called once a test, for an empty place. */
export function describeEventPublisherContract(
  name: string,
  factory: () => Promise<PublisherUnderTest>,
): void {
  describe(`event publisher: ${name}`, () => {
    async function start() {
      const place = await factory()
      const publishers: EventPublisher[] = []
      onTestFinished(async () => {
        await Promise.all(publishers.map((publisher) => publisher.close()))
        await place.close()
      })
      const publisher = (of = 'main') => {
        const created = place.create(of)
        publishers.push(created)
        return created
      }
      return { publisher, read: () => place.read() }
    }

    test('publishes messages as they are, those of a key in order, and knows up to where', async () => {
      const { publisher, read } = await start()
      const main = publisher()
      await main.ask()
      const session = await main.open()
      expect(session.checkpoint).toBeNull()
      const sent = messages(['a', 'b', 'c'], 40)
      await session.publish(sent.slice(0, 50), at(50))
      await session.publish(sent.slice(50, 51), at(51))
      await session.publish(sent.slice(51), at(120))
      const received = await read()
      expect(received).toHaveLength(sent.length)
      expect(byKey(received)).toEqual(byKey(sent))
      expect((await main.open()).checkpoint).toEqual(at(120))
    })

    test('messages of any size and number in one go are there together', async () => {
      const { publisher, read } = await start()
      const long = 'x'.repeat(700_000)
      const sent = [
        ...messages(['a'], 1_200),
        ...[1, 2, 3].map((number) => ({ ...message('b', number), value: long })),
      ]
      await (await publisher().open()).publish(sent, at(1_203))
      expect(byKey(await read())).toEqual(byKey(sent))
    })

    test('one that is started after another goes on from there', async () => {
      const { publisher, read } = await start()
      const first = publisher()
      await (await first.open()).publish(messages(['a'], 3), at(3))
      await first.close()
      const session = await publisher().open()
      expect(session.checkpoint).toEqual(at(3))
      await session.publish([message('a', 3)], at(4))
      expect(await read()).toEqual(messages(['a'], 4))
    })

    test('the one that was opened last publishes; the other one stops, however often it tries', async () => {
      const { publisher, read } = await start()
      const [first, second] = [publisher(), publisher()]
      const old = await first.open()
      await old.publish(messages(['a'], 2), at(2))
      const session = await second.open()
      expect(session.checkpoint).toEqual(at(2))
      await expect(old.publish([message('a', 666)], at(666))).rejects.toThrow(EngineUnavailable)
      await session.publish([message('a', 2)], at(3))
      for (let tries = 0; tries < 2; tries++) await expect(first.open()).rejects.toThrow(PublisherSuperseded)
      // The one that tried in vain has cut off the other for a moment: that one is still the last that was started.
      const resumed = await second.open()
      expect(resumed.checkpoint).toEqual(at(3))
      await resumed.publish([message('a', 3)], at(4))
      expect(await read()).toEqual(messages(['a'], 4))
    })

    test('publishers of other names are no concern', async () => {
      const { publisher, read } = await start()
      const one = await publisher('one').open()
      const other = await publisher('other').open()
      await one.publish([message('a', 0)], at(1))
      await other.publish([message('b', 0)], at(7))
      await one.publish([message('a', 1)], at(2))
      expect((await publisher('one').open()).checkpoint).toEqual(at(2))
      expect((await publisher('other').open()).checkpoint).toEqual(at(7))
      expect(byKey(await read())).toEqual(byKey([...messages(['a'], 2), message('b', 0)]))
    })
  })
}

const TOPICS = ['media', 'batches', 'billing']

const message = (key: string, number: number): PublishedMessage => ({
  topic: TOPICS[key.charCodeAt(0) % TOPICS.length]!,
  key,
  headers: { ce_id: `${key}${number}`, ce_source: 'größer' },
  value: JSON.stringify({ number, text: 'größer als 한글' }),
})

const messages = (keys: readonly string[], count: number): PublishedMessage[] =>
  Array.from({ length: count }, (_, number) => keys.map((key) => message(key, number))).flat()

const byKey = (of: readonly PublishedMessage[]) => Map.groupBy(of, ({ key }) => key)

/** A checkpoint there. */
export const at = (position: number): PublishedUpTo => ({
  position,
  stream: 'ledger-a',
  revision: position,
  hash: position.toString(16).padStart(64, '0'),
})
