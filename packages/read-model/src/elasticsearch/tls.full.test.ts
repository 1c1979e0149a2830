import { errors } from '@elastic/elasticsearch'
import { describeWithEngine } from '@medialog/test/engines'
import { identityOf, makeAuthority } from '@medialog/test/harness/certificates'
import { startProxy } from '@medialog/test/harness/proxy'
import { expect, test } from 'vitest'
import { connectElasticsearch } from './connection.ts'

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
