import { BEGINNING } from '@medialog/kernel'
import { makeAuthority, type Certificate } from '@medialog/test/harness/certificates'
import { startProxy } from '@medialog/test/harness/proxy'
import { expect, test, vi } from 'vitest'
import { all, take } from '../contract/fixture.ts'
import { startEventStoreDbDouble } from '../testing/eventstoredb/double.ts'
import { newEvents } from '../testing/events.ts'
import { openEventStoreDb } from './store.ts'

vi.setConfig({ testTimeout: 120_000 })

const LIMITS = { callMs: 5_000, patienceMs: 5_000, silenceMs: 5_000, probeMs: 20 }
const trusted = ({ path, pem }: Pick<Certificate, 'path' | 'pem'>) => ({
  ca: { path, pem },
  identity: null,
  serverName: null,
})

test('over TLS, by one of two authorities that are trusted: calls and the HTTP side; a server of another one is not spoken to', async () => {
  await using stack = new AsyncDisposableStack()
  const [authority, stranger] = [stack.use(makeAuthority()), stack.use(makeAuthority())]
  const server = stack.use(await startEventStoreDbDouble())
  const { pem: cert, key } = authority.issue('localhost')
  const proxy = stack.adopt(await startProxy(`127.0.0.1:${server.port}`, { cert, key }), (it) => it.cut())
  const url = `esdb://ann:p%40ss@localhost:${proxy.port}`

  const both = trusted(stranger.andThen(authority))
  const store = await openEventStoreDb({ url, tls: both, limits: LIMITS })
  await store.append('media-a', 'no-stream', newEvents(3))
  await store.truncate('media-a', 2)
  const { signal } = new AbortController()
  for (const events of [
    await all(store.readAll(BEGINNING)),
    await take(store.subscribe(BEGINNING, { signal }), (_, { live }) => live),
  ])
    expect(events).toMatchObject([{ revision: 2 }])
  expect((await store.scavenge(() => undefined)).places).toMatchObject([{ outcome: 'done' }])
  await store.close()

  for (const tls of [trusted(stranger), null]) {
    const refused = openEventStoreDb({ url, tls, limits: { ...LIMITS, patienceMs: 500 } })
    await expect(refused).rejects.toThrow(
      /^EventStoreDB \(esdb:\/\/localhost:\d+\) is unavailable: it cannot be reached: .*certificate/,
    )
  }
})
