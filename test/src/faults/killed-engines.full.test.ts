import { settingsOf } from '@medialog/messaging/testing/topics'
import type { KafkaSettings } from '@medialog/messaging/kafka/settings'
import { batchId } from '@medialog/kernel'
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest'
import { describeWithEngine } from '../engines.ts'
import { batchWhere, endedBatch, expectWholeBatch, statusesOf } from '../harness/batches.ts'
import { asAccount, asOperator, connect, type Answer, type Client } from '../harness/client.ts'
import { eventsIn } from '../harness/log.ts'
import { startOwnEngine, type OwnEngine } from '../harness/own-engines.ts'
import { startServer, temporaryDataFolder, type RunningServer } from '../harness/server.ts'
import { expectConsistent } from './consistency.ts'
import { balanceOf, expectBooksToBalance } from './killable.ts'
import { filesOf, namesOf, send, type File } from './sent-files.ts'
import { expectStatus } from '../harness/expect-status.ts'

vi.setConfig({ testTimeout: 600_000, hookTimeout: 600_000 })
const PATIENT = { timeout: 120_000, interval: 100 }

describeWithEngine('own', 'a service whose engines are killed', (scripts) => {
  let elasticsearch: OwnEngine
  let temporal: OwnEngine
  let broker: OwnEngine
  let kafka: KafkaSettings
  let folder: Awaited<ReturnType<typeof temporaryDataFolder>>
  let server: RunningServer
  let apiKey: string | null = null
  let client: Client
  let first: string

  /** What is there by now, however far the start came. */
  const running = new AsyncDisposableStack()
  const owned = async <T extends { remove(): Promise<void> }>(starting: Promise<T>): Promise<T> =>
    running.adopt(await starting, (own) => own.remove())

  beforeAll(async () => {
    const starting = [
      owned(startOwnEngine(scripts, 'elasticsearch')),
      owned(startOwnEngine(scripts, 'temporal')),
      owned(startOwnEngine(scripts, 'kafka')),
      owned(temporaryDataFolder()),
    ] as const
    // Where one fails, what the others come to is known before it is taken away.
    await Promise.allSettled(starting)
    ;[elasticsearch, temporal, broker, folder] = await Promise.all(starting)
    kafka = settingsOf(broker.address)
    await start()
    running.defer(async () => void (await server.stop()))
    first = await upload({ filename: 'first.txt', bytes: 'A lighthouse was lit for the first time.' })
    await expectConsistent(examined())
  })
  afterAll(() => running.disposeAsync())
  afterEach(async () => {
    // Where a test failed half-way the next one is to find them all the same.
    await Promise.all([elasticsearch, temporal, broker].map((engine) => engine.start()))
    await expectConsistent(examined())
    await expectBooksToBalance(client)
  })

  async function start(): Promise<void> {
    const env = {
      ELASTICSEARCH_URL: `http://${elasticsearch.address}`,
      TEMPORAL_ADDRESS: temporal.address,
      KAFKA_BROKERS: broker.address,
      KAFKA_TOPIC_PREFIX: kafka.prefix,
    }
    server = await startServer({ dataFolder: folder.path, env, readyWithinMs: 200_000 })
    apiKey ??= server.apiKey
    client = asAccount(server.url, apiKey!)
  }

  const examined = () => ({
    client,
    operator: asOperator(server.url, server.operatorToken),
    kafka,
    events: () => eventsIn(folder.path),
  })

  async function upload(file: File): Promise<string> {
    const { status, body } = await client.upload(file.filename, file.bytes)
    expect(status, JSON.stringify(body)).toBe(200)
    return body.data.media_id
  }
  const uploads = (files: readonly File[]) => files.map(upload)

  const search = (query: string): Promise<Answer> =>
    client.request('POST', '/v1/search', { json: { query, collections: 'all', max_results: 100 } })
  const list = (): Promise<Answer> => client.request('GET', '/v1/media')
  const isUnavailable = (engine: string, components: Record<string, string>) =>
    vi.waitFor(async () => {
      const { body } = await client.request('GET', '/v1/status')
      expect(body.data).toMatchObject({ status: 'degraded', components })
      const scraper = connect(server.url, { authorization: `Bearer ${server.operatorToken}` })
      const metrics = await scraper.request('GET', '/metrics')
      const answers = Object.fromEntries(
        Array.from(
          (metrics.body as string).matchAll(/^medialog_engine_available\{engine="(.*)"\} (.*)$/gm),
          ([, name, value]) => [name, value],
        ),
      )
      expect(answers).toEqual({ elasticsearch: '1', temporal: '1', kafka: '1', [engine]: '0' })
    }, PATIENT)

  async function expectCompleted(batchId: string, files: readonly File[]): Promise<void> {
    const ended = await endedBatch(client, batchId)
    expectWholeBatch(ended, namesOf(files))
    expect(new Set(statusesOf(ended.results))).toEqual(new Set(['succeeded']))
  }

  function expectRefused({ status, headers, body }: Answer): void {
    expect([status, body.error?.code ?? body.code]).toEqual([
      503,
      expect.stringMatching(/^service_unavailable$/i),
    ])
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(0)
  }

  test('Elasticsearch while it indexes: uploads and batches go on, and are found once it is back', async () => {
    const [under, during, batch] = [filesOf('under', 8), filesOf('during', 4), filesOf('batch', 6)]
    const created = await client.batch(batch)
    const sent = uploads(under)
    await Promise.any(sent)
    await elasticsearch.kill()
    expectRefused(await search('what it tells of whales'))
    expectRefused(await list())
    expectRefused(await client.request('GET', '/v1/usage'))
    expectRefused(await client.request('DELETE', `/v1/media/${first}`))
    await isUnavailable('elasticsearch', { api: 'operational', search: 'unavailable' })
    await Promise.all([...sent, ...uploads(during)])
    const id: string = created.body.data.batch_id
    expectRefused(await client.request('GET', `/v1/batches/${id}`))
    // Nothing can be read of it meanwhile, but the log tells.
    await vi.waitFor(async () => {
      const types = (await eventsIn(folder.path)).flatMap(({ stream, type }) =>
        stream === `batch-${batchId.parse(id)}` ? [type] : [],
      )
      expect(types).toContain('BatchCompleted')
    }, PATIENT)
    await elasticsearch.start()
    await expectCompleted(id, batch)
    await vi.waitFor(async () => {
      const { status, body } = await search('what it tells of whales')
      expect(status).toBe(200)
      const found = body.data.results.map(
        ({ metadata }: { metadata: { file_info: { filename: string } } }) => metadata.file_info.filename,
      )
      expect(found).toEqual(expect.arrayContaining(namesOf([...under, ...during, ...batch])))
    }, PATIENT)
  })

  test('Temporal in mid-batch: reads go on, uploads are refused, batches wait and complete', async () => {
    const [under, waiting] = [filesOf('interrupted', 24), filesOf('waiting', 3)]
    const { body: created } = await client.batch(under)
    await batchWhere(client, created.data.batch_id, ({ progress }) => progress.successful > 1)
    await temporal.kill()
    expectStatus(await search('whales'), 200)
    expectStatus(await list(), 200)
    await isUnavailable('temporal', { api: 'degraded', search: 'operational' })
    const before = await balanceOf(client)
    expectRefused(await client.upload('refused.txt', 'Nobody carries this ashore.'))
    expect(await balanceOf(client)).toBe(before)
    const taken = await client.batch(waiting)
    expectStatus(taken, 200)
    const { body: stopped } = await client.request('GET', `/v1/batches/${created.data.batch_id}`)
    expect(stopped.data.progress.successful).toBeLessThan(under.length)
    await temporal.start()
    await expectCompleted(created.data.batch_id, under)
    await expectCompleted(taken.body.data.batch_id, waiting)
  })

  test('Kafka while events are published: all else goes on, and all is published once', async () => {
    const [under, away] = [filesOf('told', 6), filesOf('untold', 3)]
    const sent = uploads(under)
    await Promise.any(sent)
    await broker.kill()
    await Promise.all([...sent, ...uploads(away)])
    await isUnavailable('kafka', { api: 'operational', storage: 'operational', publisher: 'degraded' })
    expectStatus(await search('whales'), 200)
    await broker.start()
  })

  test('the service itself, with uploads and a batch under way: each is done once', async () => {
    const [singles, batch] = [filesOf('single', 8), filesOf('many', 6)]
    const { body: created } = await client.batch(batch)
    const sendAll = (): Promise<Answer>[] => singles.map((file) => send(client, file))
    const sent = sendAll()
    await Promise.any(sent)
    await server.kill()
    await Promise.allSettled(sent)
    await start()
    // The clients ask again with the same keys, and have their items, charged once.
    const again = await Promise.all(sendAll())
    expect(again.map(({ status }) => status)).toEqual(singles.map(() => 200))
    await expectCompleted(created.data.batch_id, batch)
    const { body } = await client.request('GET', '/v1/media?page_size=100')
    const stored: string[] = body.data.items.map(
      ({ file_info: { filename } }: { file_info: { filename: string } }) => filename,
    )
    for (const name of namesOf([...singles, ...batch]))
      expect(stored.filter((other) => other === name)).toEqual([name])
  })
})
