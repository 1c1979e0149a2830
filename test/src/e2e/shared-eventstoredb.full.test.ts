import { setTimeout as sleep } from 'node:timers/promises'
import { startEventStoreDbDouble } from '@medialog/event-store/testing/eventstoredb/double'
import { expect, test, vi } from 'vitest'
import { asAccount, asOperator } from '../harness/client.ts'
import { expectStatus } from '../harness/expect-status.ts'
import { freePort } from '../harness/free-port.ts'
import { operated } from '../harness/operations.ts'
import { doubleLog, environmentOf } from '../harness/on-eventstoredb.ts'
import { startProbing } from '../harness/probing.ts'
import { startServer, temporaryDataFolder } from '../harness/server.ts'

vi.setConfig({ testTimeout: 180_000 })

const OTHERS = 100_000
/** A second, after the first answer, and what a busy machine takes. */
const PROBE_MS = 2_000

test('serves, starts and rebuilds beside 100,000 events of other programs, and probes stay prompt', async () => {
  await using opened = new AsyncDisposableStack()
  const folder = await temporaryDataFolder()
  opened.defer(() => folder.remove())
  const double = opened.use(await startEventStoreDbDouble())
  const port = await freePort()
  const env = { ...environmentOf(doubleLog(double)), PORT: String(port) }
  const url = `http://127.0.0.1:${port}`
  double.faults.readAllMs = 30

  double.log.addSystemEvents(OTHERS)
  const beginning = startProbing([{ url: `${url}/readyz` }])
  let server = await startServer({ dataFolder: folder.path, env })
  expect((await beginning()).slowestMs).toBeLessThan(PROBE_MS)

  const apiKey = server.apiKey!
  const client = asAccount(server.url, apiKey)
  expectStatus(await client.upload('a.txt', 'Written between the events of other programs.'), 200)
  const probes = startProbing([
    { url: `${url}/readyz` },
    { url: `${url}/metrics`, headers: { authorization: `Bearer ${server.operatorToken}` } },
    { url: `${url}/v1/status`, headers: { 'x-api-key': apiKey } },
  ])
  double.log.addSystemEvents(OTHERS)
  expectStatus(await client.upload('b.txt', 'Written behind the events of other programs.'), 200)
  const operator = asOperator(server.url, server.operatorToken)
  const rebuilt = await operated(operator, { kind: 'projections-rebuild', name: 'catalog' })
  expect(rebuilt).toMatchObject({ status: 'succeeded' })
  // For an hour only other programs append: a look reads only what they appended since the last one.
  for (let minute = 0; minute < 60; minute++) double.log.addSystemEvents(1_000)
  const { body } = await client.request('GET', '/v1/media')
  expect(body.data.items).toHaveLength(2)
  await sleep(3_000)
  const { answers, slowestMs } = await probes()
  expect(answers).toBeGreaterThan(20)
  expect(slowestMs).toBeLessThan(PROBE_MS)

  await server.stop()
  const again = startProbing([{ url: `${url}/readyz` }])
  server = await startServer({ dataFolder: folder.path, env })
  opened.defer(async () => void (await server.stop()))
  expect((await again()).slowestMs).toBeLessThan(PROBE_MS)
  const found = await asAccount(server.url, apiKey).request('GET', '/v1/media')
  expect(found.body.data.items).toHaveLength(2)
})
