import { EngineUnavailable } from '@medialog/application/ports'
import { describeWithEngine } from '@medialog/test/engines'
import { expect, onTestFinished, test, vi } from 'vitest'
import { at, describeEventPublisherContract } from '../contract-suite.ts'
import { deleteTopics, plainKafka, readTopics, settingsOf } from '../testing/topics.ts'
import { createKafkaPublisher } from './publisher.ts'

const logger = { debug: () => undefined }

describeWithEngine('kafka', 'the publisher of Kafka', (address) => {
  describeEventPublisherContract('Kafka', async () => {
    const settings = settingsOf(address)
    return {
      create: (publisher) => createKafkaPublisher({ ...settings, publisher }, logger),
      read: async () =>
        (await readTopics(settings)).map(({ topic, key, headers, value }) => ({
          topic,
          key,
          headers,
          value,
        })),
      close: () => deleteTopics(settings),
    }
  })

  test('a producer that was shut out without a claim, as by a broker that gave up on its transaction, goes on', async () => {
    const settings = settingsOf(address)
    const publisher = createKafkaPublisher(settings, logger)
    const other = plainKafka(settings).producer({
      transactionalId: `${settings.prefix}.${settings.publisher}`,
      maxInFlightRequests: 1,
    })
    onTestFinished(async () => {
      await Promise.all([publisher.close(), other.disconnect()])
      await deleteTopics(settings)
    })
    const publishing = (number: number) =>
      [[{ topic: 'billing', key: 'a', headers: {}, value: String(number) }], at(number)] as const
    const session = await publisher.open()
    await session.publish(...publishing(1))
    await other.connect()
    await (await other.transaction()).abort()
    await expect(session.publish(...publishing(666))).rejects.toThrow(EngineUnavailable)
    const resumed = await publisher.open()
    expect(resumed.checkpoint).toEqual(at(1))
    await resumed.publish(...publishing(2))
    expect((await readTopics(settings)).map(({ value }) => value)).toEqual(['1', '2'])
  })

  test('a connection on which nothing happens sets no timers to look for requests', async () => {
    const timers = vi.spyOn(globalThis, 'setTimeout')
    onTestFinished(() => timers.mockRestore())
    const publisher = createKafkaPublisher(settingsOf(address), logger)
    onTestFinished(() => publisher.close())
    await publisher.ask()
    expect(timers.mock.calls.filter(([, milliseconds]) => milliseconds! < 0)).toEqual([])
    expect(timers).toHaveBeenCalled()
  })
})
