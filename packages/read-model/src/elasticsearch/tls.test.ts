import { createServer } from 'node:https'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { makeAuthority, type Certificate } from '@medialog/test/harness/certificates'
import { expect, test } from 'vitest'
import { connectElasticsearch, failureOf } from './connection.ts'

/** Says who asked. */
async function startListener({ pem: cert, key }: Certificate) {
  const asked: (string | undefined)[] = []
  const server = createServer({ cert, key }, ({ headers }, response) => {
    asked.push(headers.authorization)
    response.writeHead(200, { 'content-type': 'application/json', 'x-elastic-product': 'Elasticsearch' })
    response.end('{}')
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    url: `https://localhost:${port}`,
    asked,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

test('an API key, or a user of the address, goes with every request; over TLS to whom it trusts alone', async () => {
  await using stack = new AsyncDisposableStack()
  const [authority, stranger] = [stack.use(makeAuthority()), stack.use(makeAuthority())]
  const { url, asked } = stack.use(await startListener(authority.issue('localhost')))
  const tls = { ca: stranger.andThen(authority), identity: null, serverName: null }
  for (const address of [{ url, apiKey: 'a-key' }, { url: url.replace('://', '://ann:secret@') }]) {
    const client = connectElasticsearch({ ...address, tls })
    await client.info()
    await client.close()
  }
  expect(asked).toEqual(['ApiKey a-key', `Basic ${Buffer.from('ann:secret').toString('base64')}`])
  const deceived = connectElasticsearch({ url, apiKey: 'a-key', tls: { ...tls, ca: stranger } })
  const failure = await deceived.info().catch(failureOf)
  expect(String(failure)).toMatch(/Elasticsearch is unavailable: .*certificate/)
  expect(String(failure)).not.toContain('a-key')
  expect(asked).toHaveLength(2)
  await deceived.close()
})
