import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest'
import { asAccount } from '../harness/client.ts'
import { publisherIs, publishingMetrics, startPublishing, upload } from '../harness/publishing.ts'
import { startServer, temporaryDataFolder } from '../harness/server.ts'

let folder: Awaited<ReturnType<typeof temporaryDataFolder>>
beforeEach(async () => {
  folder = await temporaryDataFolder()
})
afterEach(() => folder.remove())

test('while the broker is away all else goes on, and status and metrics say so', async () => {
  const { server, client } = await startPublishing(folder.path, {
    brokers: ['127.0.0.1:1'],
    prefix: 'nowhere',
  })
  await upload(client, 'a.txt')
  await publisherIs(client, 'degraded')
  const { body: search } = await client.request('POST', '/v1/search', { json: { query: 'sea' } })
  expect(search.data.results).toHaveLength(1)
  expect((await client.request('GET', '/readyz')).body.data.components.publisher).toBe('degraded')
  const measured = await publishingMetrics(server)
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
  expect(await publishingMetrics(server)).toEqual({})
})
