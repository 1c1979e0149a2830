import { deleteTopics, readTopics, settingsOf } from '@medialog/messaging/testing/topics'
import type { KafkaSettings } from '@medialog/messaging/kafka/settings'
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { describeWithEngine } from '../engines.ts'
import { asAccount, type Client } from '../harness/client.ts'
import { startServer, temporaryDataFolder, type RunningServer } from '../harness/server.ts'

const LONG = { timeout: 120_000, interval: 100 }

let folder: Awaited<ReturnType<typeof temporaryDataFolder>>
beforeEach(async () => {
  folder = await temporaryDataFolder()
})
afterEach(() => folder.remove())

async function start(kafka: Pick<KafkaSettings, 'brokers' | 'prefix'>) {
  const env = { KAFKA_BROKERS: kafka.brokers.join(','), KAFKA_TOPIC_PREFIX: kafka.prefix }
  const server = await startServer({ dataFolder: folder.path, env })
  onTestFinished(() => server.kill())
  return { server, client: asAccount(server.url, server.apiKey!) }
}

const upload = async (client: Client, filename: string): Promise<string> => {
  const { status, body } = await client.upload(filename, `What ${filename} says of the sea.`)
  expect(status).toBe(200)
  return body.data.media_id
}

const publisherIs = (client: Client, state: string) =>
  vi.waitFor(async () => {
    const { status, body } = await client.request('GET', '/v1/status')
    expect(status).toBe(200)
    expect(body.data.components).toMatchObject({
      api: 'operational',
      storage: 'operational',
      publisher: state,
    })
    expect(body.data.status).toBe(state)
  }, LONG)

/** The values of the service's own metrics of publishing, without their prefix. */
async function metrics({ url, operatorToken }: RunningServer): Promise<{ [name: string]: number }> {
  const response = await fetch(`${url}/metrics`, { headers: { authorization: `Bearer ${operatorToken}` } })
  const lines = (await response.text()).matchAll(/^medialog_(publish\w+) (\S+)$/gm)
  return Object.fromEntries(Array.from(lines, ([, name, value]) => [name!, Number(value)]))
}

const typesOf = (records: Awaited<ReturnType<typeof readTopics>>) =>
  records.map(({ headers }) => headers['ce_type']!.replace('medialog.', '')).toSorted()

test('while the broker is away all else goes on, and status and metrics say so', async () => {
  const { server, client } = await start({ brokers: ['127.0.0.1:1'], prefix: 'nowhere' })
  await upload(client, 'a.txt')
  await publisherIs(client, 'degraded')
  const { body: search } = await client.request('POST', '/v1/search', { json: { query: 'sea' } })
  expect(search.data.results).toHaveLength(1)
  expect((await client.request('GET', '/readyz')).body.data.components.publisher).toBe('degraded')
  const measured = await metrics(server)
  expect(measured).toMatchObject({ published_events_total: 0, publishing_failing: 1 })
  expect(measured['publishing_failures_total']).toBeGreaterThan(0)
  expect(measured).not.toHaveProperty('publishing_behind_events')
  expect(await server.stop()).toBe(0)
})

test('without a broker there is no such component, and nothing to measure', async () => {
  const server = await startServer({ dataFolder: folder.path })
  onTestFinished(() => server.kill())
  const { body } = await asAccount(server.url, server.apiKey!).request('GET', '/v1/status')
  expect(Object.keys(body.data.components)).toEqual(['api', 'storage', 'search'])
  expect(await metrics(server)).toEqual({})
})

describeWithEngine('kafka', 'with a broker', (address) => {
  test('what happens is published: uploads, moves, deletions, batches and what they cost', async () => {
    const settings = settingsOf(address)
    onTestFinished(() => deleteTopics(settings))
    const { server, client } = await start(settings)
    const kept = await upload(client, 'whales.txt')
    await client.request('POST', '/v1/media/collections/sea/items', { json: { items: [kept] } })
    const gone = await upload(client, 'wreck.txt')
    await client.request('DELETE', `/v1/media/${gone}`)
    const { body: batch } = await client.batch([{ filename: 'tide.txt', bytes: 'The tide turns.' }])
    await vi.waitFor(async () => {
      const { body } = await client.request('GET', `/v1/batches/${batch.data.batch_id}`)
      expect(body.data.status).toBe('completed')
    }, LONG)
    await publisherIs(client, 'operational')
    await vi.waitFor(async () => expect((await metrics(server))['publishing_behind_events']).toBe(0), LONG)
    const measured = await metrics(server)
    expect(await server.stop()).toBe(0)
    const records = await readTopics(settings)
    expect(measured).toMatchObject({ published_events_total: records.length, publishing_failing: 0 })
    const of = (topic: string) => typesOf(records.filter((record) => record.topic === topic))
    expect(of('media')).toEqual([
      'ItemsMoved',
      'MediaDeleted',
      'MediaIngested',
      'MediaIngested',
      'MediaIngested',
    ])
    expect(of('batches')).toEqual(['BatchCompleted', 'BatchCreated', 'BatchStarted', 'JobSucceeded'])
    expect(of('billing')).toEqual([
      ...Array<string>(3).fill('BalanceCharged'),
      'BalanceCredited',
      ...Array<string>(3).fill('ChargeSettled'),
    ])
    expect(JSON.stringify(records)).not.toMatch(/whales|wreck|tide|mlk_/)
  })
})
