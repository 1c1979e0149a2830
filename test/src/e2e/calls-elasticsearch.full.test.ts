import { once } from 'node:events'
import { createServer, request as send, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { testIndices } from '@medialog/read-model/testing/elasticsearch-engine'
import { expect, test, vi } from 'vitest'
import { describeWithEngine } from '../engines.ts'
import { expectStatus } from '../harness/expect-status.ts'
import { asAccount } from '../harness/client.ts'
import { startServer, temporaryDataFolder } from '../harness/server.ts'

vi.setConfig({ testTimeout: 300_000 })

/** Passes requests on to the server, and reports each. */
async function counting(
  url: string,
  seen: (request: string) => void,
): Promise<{ url: string; server: Server }> {
  const server = createServer((request, response) => {
    seen(`${request.method} ${request.url!.split('?')[0]}`)
    const { method, headers } = request
    const onward = send(new URL(request.url!, url), { method, headers }, (answer) => {
      response.writeHead(answer.statusCode!, answer.headers)
      answer.pipe(response)
    })
    onward.on('error', () => response.destroy())
    request.pipe(onward)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, server }
}

/** How often requests ask Elasticsearch: each is a round trip, and a change that makes a figure grow must say why. */
describeWithEngine('elasticsearch', 'what requests cost on Elasticsearch', (url) => {
  test('an upload, a search and a read of an item', async () => {
    const asked: string[] = []
    // Processes look for each other all the time.
    const proxy = await counting(url, (request) => request.includes('-coordination/') || asked.push(request))
    const indices = testIndices(url)
    const folder = await temporaryDataFolder()
    const env = { ELASTICSEARCH_URL: proxy.url, ELASTICSEARCH_PREFIX: indices.prefix }
    const server = await startServer({ dataFolder: folder.path, env, readyWithinMs: 200_000 })
    const client = asAccount(server.url, server.apiKey!)
    /** Of several times: what runs beside it asks, too, every second. */
    async function fewest(work: () => Promise<unknown>): Promise<string[]> {
      let least: string[] | null = null
      for (let n = 0; n < 8; n++) {
        const from = asked.length
        await work()
        const own = asked.slice(from).map((path) => path.replace(`/${indices.prefix}`, '').replace(' /', ' '))
        if (!least || own.length < least.length) least = own
      }
      return least!
    }
    let made = 0
    const upload = async () =>
      expectStatus(
        await client.upload(`${++made}.txt`, `File number ${made} of those that are counted.`),
        200,
      )
    await upload()
    // How many events are written at once is a matter of time.
    expect((await fewest(upload)).length).toBeLessThanOrEqual(34)
    const json = () => ({ json: { query: `a file that is counted ${++made}`, collections: 'all' } })
    expect(await fewest(() => client.request('POST', '/v1/search', json()))).toEqual([
      'POST catalog/_search',
      'POST catalog/_search',
    ])
    const { body } = await client.request('GET', '/v1/media')
    const [{ media_id: id }] = body.data.items
    expect(await fewest(() => client.request('GET', `/v1/media/${id}`))).toEqual(['POST catalog/_mget'])
    expect(await fewest(() => client.request('GET', '/v1/media'))).toEqual(['POST catalog/_search'])
    await server.stop()
    proxy.server.closeAllConnections()
    proxy.server.close()
    await indices.remove()
    await folder.remove()
  })
})
