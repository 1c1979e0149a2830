import { createServer } from 'node:https'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { errors } from '@elastic/elasticsearch'
import { describeWithEngine } from '@medialog/test/engines'
import { makeAuthority, type Certificate } from '@medialog/test/harness/certificates'
import { startProxy } from '@medialog/test/harness/proxy'
import { expect, test } from 'vitest'
import { connectElasticsearch, failureOf } from './connection.ts'

const identityOf = ({ path, pem, key, keyPath }: Certificate) => ({
  certificate: { path, pem },
  key: { path: keyPath, pem: key },
})

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
  const tls = { ca: authority, identity: null, serverName: null }
  for (const address of [{ url, apiKey: 'a-key' }, { url: url.replace('://', '://ann:secret@') }]) {
    const client = connectElasticsearch({ ...address, tls })
    await client.info()
    await client.close()
  }
  expect(asked).toEqual(['ApiKey a-key', `Basic ${Buffer.from('ann:secret').toString('base64')}`])
  const deceived = connectElasticsearch({ url, apiKey: 'a-key', tls: { ...tls, ca: stranger } })
  const failure = await deceived.info().catch(failureOf)
  expect(String(failure)).toMatch(/Elasticsearch is away: .*certificate/)
  expect(String(failure)).not.toContain('a-key')
  expect(asked).toHaveLength(2)
  await deceived.close()
})

describeWithEngine('elasticsearch', 'Elasticsearch over TLS', (address) => {
  test('where it asks for a certificate, it is asked with one, by the name that its own is for', async () => {
    await using stack = new AsyncDisposableStack()
    const authority = stack.use(makeAuthority())
    const { pem: cert, key } = authority.issue('elasticsearch.internal')
    const asksBack = { cert, key, ca: authority.pem, requestCert: true, rejectUnauthorized: true }
    const proxy = stack.adopt(await startProxy(new URL(address).host, asksBack), (it) => it.cut())
    const url = `https://localhost:${proxy.port}`
    const tls = {
      ca: authority,
      identity: identityOf(authority.issue()),
      serverName: 'elasticsearch.internal',
    }
    const client = connectElasticsearch({ url, tls })
    expect((await client.info()).version.number).toMatch(/^\d+\./)
    await client.close()
    for (const wrong of [
      { ...tls, identity: null },
      { ...tls, serverName: null },
    ]) {
      const refused = connectElasticsearch({ url, tls: wrong })
      await expect(refused.info()).rejects.toBeInstanceOf(errors.ConnectionError)
      await refused.close()
    }
  })
})
