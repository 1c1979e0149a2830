import { spawn } from 'node:child_process'
import { once } from 'node:events'
import net from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { createBackground, newId } from '@medialog/application'
import { openSqliteEventStore, openSqliteLogReader } from '@medialog/event-store'
import { BEGINNING, type RecordedEvent, type StreamName } from '@medialog/kernel'
import { describeWithEngine } from '@medialog/test/engines'
import kafkajs, { type Admin } from 'kafkajs'
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { startPublishing, type RunningPublishing } from '../publishing.ts'
import { append, newEvent, openLog, settled } from '../testing/log.ts'
import { startProxy, type Proxy } from '@medialog/test/harness/proxy'
import { deleteTopics, plainKafka, readTopics, settingsOf, type ReadRecord } from '../testing/topics.ts'
import { createKafkaPublisher } from './publisher.ts'
import type { KafkaSettings } from './settings.ts'

const PROCESS = new URL('../testing/publisher-process.ts', import.meta.url).pathname
const LONG = { timeout: 120_000, interval: 50 }
/** The moments at which a publisher is killed lie all over a transaction, and a little behind it. */
const KILLS = 10
const TRANSACTION_TAKES_MS = 60
vi.setConfig({ testTimeout: 300_000 })

const logger = { debug: () => undefined }
type Log = Awaited<ReturnType<typeof openLog>>

/** Each event of the log once, none besides, the events of a stream in its order in one partition. */
function expectExactly(records: readonly ReadRecord[], events: readonly RecordedEvent[]): void {
  expect(records).toHaveLength(events.length)
  expect(records.map(({ headers }) => headers['ce_id']!).toSorted()).toEqual(
    events.map(({ id }) => id).toSorted(),
  )
  const published = Map.groupBy(records, ({ key }) => key)
  for (const [stream, of] of Map.groupBy(events, (event) => event.stream)) {
    const ofStream = published.get(stream)!
    expect(ofStream.map(({ headers }) => headers['ce_revision'])).toEqual(
      of.map(({ revision }) => String(revision)),
    )
    expect(new Set(ofStream.map(({ partition }) => partition)).size).toBe(1)
  }
}

async function eventsOf(store: Pick<Log['store'], 'readAll'>): Promise<RecordedEvent[]> {
  const events: RecordedEvent[] = []
  for await (const event of store.readAll(BEGINNING)) events.push(event)
  return events
}

describeWithEngine('kafka', 'publishing to Kafka', (address) => {
  let settings: KafkaSettings
  let log: Log
  beforeEach(async () => {
    settings = settingsOf(address)
    log = await openLog()
  })
  afterEach(async () => {
    await log.remove()
    await deleteTopics(settings)
  })

  function start(): RunningPublishing {
    const publishing = startPublishing({
      log: log.store,
      publisher: createKafkaPublisher(settings, logger),
      background: createBackground(() => undefined),
      source: '/medialog/test',
      onStopped: () => undefined,
    })
    onTestFinished(() => publishing.close())
    return publishing
  }
  const caughtUp = (publishing: RunningPublishing) =>
    vi.waitFor(
      async () => expect(await publishing.status()).toMatchObject({ behind: 0, trouble: null }),
      LONG,
    )

  async function connectAdmin(): Promise<Admin> {
    const admin = plainKafka(settings).admin()
    await admin.connect()
    onTestFinished(() => admin.disconnect())
    return admin
  }

  /** Appends to a few streams until it is stopped. */
  function keepAppending(): { stop(): Promise<void> } {
    const streams = Array.from({ length: 5 }, (): StreamName => `ledger-${newId()}`)
    let stopped = false
    const appending = Promise.all(
      streams.map(async (stream) => {
        while (!stopped) {
          await append(log.store, stream, newEvent(settled(newId())))
          await pause(5)
        }
      }),
    )
    return {
      async stop() {
        stopped = true
        await appending
      },
    }
  }

  test('each event is there once and in order, wherever its publisher is killed', async () => {
    await log.store.close()
    const run = async (...killAfterMs: string[]): Promise<number | null> => {
      const args = [PROCESS, log.path, JSON.stringify(settings), ...killAfterMs]
      const child = spawn(process.execPath, args, { stdio: 'inherit' })
      onTestFinished(() => void child.kill('SIGKILL'))
      await once(child, 'exit')
      return child.exitCode
    }
    for (let kill = 0; kill < KILLS; kill++)
      expect(await run(String(Math.floor(Math.random() * TRANSACTION_TAKES_MS)))).toBeNull()
    expect(await run()).toBe(0)
    const reader = openSqliteLogReader({ path: log.path })
    const events = await eventsOf(reader)
    await reader.close()
    expectExactly(await readTopics(settings), events)
    log.store = await openSqliteEventStore({ path: log.path })
  })

  test('of two publishers of one log the second goes on, and nothing is there twice or missing', async () => {
    const writing = keepAppending()
    const first = start()
    await vi.waitFor(async () => expect((await first.status()).events).toBeGreaterThan(20), LONG)
    const second = start()
    await vi.waitFor(async () => expect((await first.status()).stopped).toBe(true), LONG)
    await vi.waitFor(async () => expect((await second.status()).events).toBeGreaterThan(20), LONG)
    await writing.stop()
    await caughtUp(second)
    expect((await first.status()).trouble).toContain('has taken over')
    expectExactly(await readTopics(settings), await eventsOf(log.store))
  })

  test('a broker that is cut off, or stops answering, is waited for; nothing is lost and nothing there twice', async () => {
    const proxy = await redirected(address)
    const writing = keepAppending()
    const publishing = start()
    const publishedMore = async () => {
      const { events } = await publishing.status()
      await vi.waitFor(async () => {
        const now = await publishing.status()
        expect(now.trouble).toBeNull()
        expect(now.events).toBeGreaterThan(events + 20)
      }, LONG)
    }
    await publishedMore()
    for (const fault of ['cut', 'hang'] as const) {
      await proxy[fault]()
      await vi.waitFor(async () => expect((await publishing.status()).trouble).toContain('Kafka'), LONG)
      expect((await publishing.status()).stopped).toBe(false)
      await proxy.mend()
      await publishedMore()
    }
    await writing.stop()
    await caughtUp(publishing)
    expectExactly(await readTopics(settings), await eventsOf(log.store))
  })

  test('topics are created as they are configured, and those that are there stay as they are', async () => {
    const admin = await connectAdmin()
    const topic = (name: string) => `${settings.prefix}.${name}`
    await admin.createTopics({ topics: [{ topic: topic('media'), numPartitions: 1, replicationFactor: 1 }] })
    const publisher = createKafkaPublisher({ ...settings, partitions: 5, retentionMs: 86_400_000 }, logger)
    onTestFinished(() => publisher.close())
    await publisher.open()
    const { topics } = await admin.fetchTopicMetadata({
      topics: ['media', 'batches', 'billing', 'checkpoints'].map(topic),
    })
    expect(Object.fromEntries(topics.map(({ name, partitions }) => [name, partitions.length]))).toEqual({
      [topic('media')]: 1,
      [topic('batches')]: 5,
      [topic('billing')]: 5,
      [topic('checkpoints')]: 1,
    })
    const { resources } = await admin.describeConfigs({
      includeSynonyms: false,
      resources: ['billing', 'checkpoints'].map((name) => ({
        type: kafkajs.ConfigResourceTypes.TOPIC,
        name: topic(name),
        configNames: ['retention.ms', 'cleanup.policy'],
      })),
    })
    const configured = resources.map(({ configEntries }) =>
      Object.fromEntries(configEntries.map(({ configName, configValue }) => [configName, configValue])),
    )
    expect(configured).toMatchObject([
      { 'retention.ms': '86400000', 'cleanup.policy': 'delete' },
      { 'cleanup.policy': 'compact' },
    ])
  })

  test('checkpoints that would be forgotten by time are refused', async () => {
    const admin = await connectAdmin()
    const topic = `${settings.prefix}.checkpoints`
    await admin.createTopics({ topics: [{ topic, numPartitions: 1, replicationFactor: 1 }] })
    const publisher = createKafkaPublisher(settings, logger)
    onTestFinished(() => publisher.close())
    await expect(publisher.open()).rejects.toThrow(`${topic} has cleanup.policy=delete`)
  })
})

/** Every connection that this process opens to the broker from here on goes through the proxy, to the end of the test. */
async function redirected(address: string): Promise<Proxy> {
  const [broker] = address.split(',') as [string]
  const port = broker.split(':')[1]
  const proxy = await startProxy(broker)
  const connect = net.connect.bind(net) as (options: net.TcpNetConnectOpts, done?: () => void) => net.Socket
  const spy = vi
    .spyOn(net, 'connect')
    .mockImplementation(((options: net.TcpNetConnectOpts, done?: () => void) =>
      connect(options.port === Number(port) ? { ...options, port: proxy.port } : options, done)) as never)
  onTestFinished(() => {
    spy.mockRestore()
    return proxy.cut()
  })
  return proxy
}
