import { createGate, type Gate } from '@medialog/understanding/testing/gate'
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest'
import { asAccount, type Answer, type Client } from '../harness/client.ts'
import { startServer, temporaryDataFolder, type RunningServer } from '../harness/server.ts'
import { expectStatus } from '../harness/expect-status.ts'

const ENTRY = new URL('./held-answers-server.ts', import.meta.url).pathname
vi.setConfig({ testTimeout: 180_000 })

let folder: Awaited<ReturnType<typeof temporaryDataFolder>>
let gate: Gate
let server: RunningServer
let client: Client

beforeAll(async () => {
  folder = await temporaryDataFolder()
  gate = createGate()
  const env = { LEXICON: gate.lexicon.href }
  server = await startServer({ dataFolder: folder.path, entry: ENTRY, env, readyWithinMs: 120_000 })
  client = asAccount(server.url, server.apiKey!)
  await client.upload('ferry.txt', 'The ferry to Grímsey leaves at nine.')
}, 240_000)
afterEach(() => gate.open())
afterAll(async () => {
  await server.stop()
  gate[Symbol.dispose]()
  await folder.remove()
})

const QUERY = 'When does the ferry leave?'
const ask = (json: object = {}): Promise<Answer> =>
  client.request('POST', '/v1/ai/query', { json: { query: QUERY, ...json } })
const balance = async (): Promise<number> =>
  (await client.request('GET', '/v1/usage')).body.data.account_info.balance
/** Once the question was charged it is the answering threads' turn. */
const charged = (before: number) =>
  vi.waitFor(async () => expect(await balance()).toBeLessThan(before), { timeout: 60_000 })

test('a question over which its thread dies is refused and refunded, and the next is answered', async () => {
  const before = await balance()
  gate.shut()
  const dying = ask()
  await charged(before)
  gate.endHeld()
  const { status, headers, body } = await dying
  expect([status, body.error.code]).toEqual([503, 'SERVICE_UNAVAILABLE'])
  expect(Number(headers.get('retry-after'))).toBeGreaterThan(0)
  expect(await balance()).toBe(before)
  expect((await ask()).body.data.response).toContain('at nine')
})

test('while questions of 800 000 characters are worked on, everything else is answered', async () => {
  const before = await balance()
  gate.shut()
  const context = `${'x'.repeat(799_900)} Anna said so.`
  let answered = 0
  const asked = Array.from({ length: 4 }, () => ask({ context }).finally(() => answered++))
  await charged(before)
  for (let round = 0; round < 20; round++) expectStatus(await client.request('GET', '/v1/media'), 200)
  const search = { json: { query: 'ferry', collections: 'all' } }
  expect((await client.request('POST', '/v1/search', search)).body.data.results).toHaveLength(1)
  expectStatus(await client.upload('during.txt', 'Stored while they were worked on.'), 200)
  expect(answered).toBe(0)
  gate.open()
  for (const { status, body } of await Promise.all(asked)) {
    expect(status).toBe(200)
    expect(body.data.response).toContain('at nine')
  }
})

test('a reader who leaves before the first piece frees the thread, and pays nothing', async () => {
  const before = await balance()
  gate.shut()
  const leaving = new AbortController()
  const left = Array.from({ length: 3 }, () =>
    fetch(`${server.url}/v1/ai/query`, {
      method: 'POST',
      headers: { 'x-api-key': server.apiKey!, 'content-type': 'application/json' },
      body: JSON.stringify({ query: QUERY, stream: true }),
      signal: leaving.signal,
    }).catch(() => null),
  )
  await charged(before)
  leaving.abort()
  expect(await Promise.all(left)).toEqual([null, null, null])
  await vi.waitFor(async () => expect(await balance()).toBe(before), { timeout: 60_000 })
  gate.open()
  expectStatus(await ask(), 200)
})
