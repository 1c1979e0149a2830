import { randomUUID } from 'node:crypto'
import { describeWithEngine } from '@medialog/test/engines'
import { makeAuthority } from '@medialog/test/harness/certificates'
import { startProxy } from '@medialog/test/harness/proxy'
import { expect, test } from 'vitest'
import { openRedisRateLimiter } from './redis.ts'

describeWithEngine('redis', 'Redis over TLS', (address) => {
  test('is counted in where it is of an authority that is trusted, and asks with a certificate', async () => {
    await using stack = new AsyncDisposableStack()
    const [authority, stranger] = [stack.use(makeAuthority()), stack.use(makeAuthority())]
    const { pem: cert, key } = authority.issue('cache.internal')
    const asksBack = { cert, key, ca: authority.pem, requestCert: true, rejectUnauthorized: true }
    const proxy = stack.adopt(await startProxy(new URL(address).host, asksBack), (it) => it.cut())
    const client = authority.issue()
    const tls = {
      ca: stranger.andThen(authority),
      identity: { certificate: client, key: { path: client.keyPath, pem: client.key } },
      serverName: 'cache.internal',
    }
    const open = async (of: typeof tls) =>
      stack.adopt(
        await openRedisRateLimiter({
          url: `rediss://localhost:${proxy.port}`,
          tls: of,
          answerMs: 30_000,
        }),
        (limiter) => limiter.close(),
      )
    const [one, other] = [await open(tls), await open(tls)]
    const shared = randomUUID()
    await expect
      .poll(
        () =>
          one.check().then(
            () => 'there',
            () => 'away',
          ),
        { timeout: 60_000 },
      )
      .toBe('there')
    expect(await one.take(shared, 2)).toMatchObject({ remaining: 1 })
    await other.check()
    expect(await other.take(shared, 2)).toMatchObject({ remaining: 0 })
    const deceived = await open({ ...tls, ca: stranger })
    await expect(deceived.check()).rejects.toThrow('each process counts for itself')
  }, 120_000)
})
