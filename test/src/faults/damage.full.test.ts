import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { STORES, type StoreName } from '@medialog/application'
import { damageMiddle, damageTree } from '@medialog/read-model/testing/damage'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { asAccount, connect, type Answer, type Client } from '../harness/client.ts'
import { startServer, temporaryDataFolder, type RunningServer } from '../harness/server.ts'
import { expectStatus } from '../harness/expect-status.ts'

const DYING = new URL('./dying-threads-server.ts', import.meta.url).pathname
vi.setConfig({ testTimeout: 300_000 })
const PATIENT = { timeout: 120_000, interval: 100 }

let folder: Awaited<ReturnType<typeof temporaryDataFolder>>
let server: RunningServer
let client: Client
let apiKey: string

async function start(entry?: string, env?: Record<string, string>): Promise<void> {
  server = await startServer({ dataFolder: folder.path, entry, env, readyWithinMs: 120_000 })
  apiKey = server.apiKey ?? apiKey
  client = asAccount(server.url, apiKey)
}

const SENTENCES = ['Whales sleep upright.', 'A bridge fell down in the wind.', 'Kimchi is fermented cabbage.']

beforeAll(async () => {
  folder = await temporaryDataFolder()
  await start()
  for (const [n, text] of SENTENCES.entries()) await client.upload(`${n}.txt`, text)
}, 240_000)
afterAll(async () => {
  await server.stop()
  await folder.remove()
})

const reads: Record<string, () => Promise<Answer>> = {
  items: () => client.request('GET', '/v1/media'),
  usage: () => client.request('GET', '/v1/usage?detailed=true'),
  search: () => client.request('POST', '/v1/search', { json: { query: 'how do whales sleep' } }),
}

/** What a client sees, but for what differs from one answer to the next. */
async function seen(): Promise<unknown> {
  const [items, usage, search] = await Promise.all([reads.items!(), reads.usage!(), reads.search!()])
  return {
    statuses: [items.status, usage.status, search.status],
    items: items.body.data.items,
    balance: usage.body.data.account_info.balance,
    transactions: usage.body.data.detailed_metrics.recent_transactions.length,
    found: search.body.data.results.map((result: { media_id: string }) => result.media_id),
  }
}

const statusOf = async (): Promise<string | null> => {
  const { body } = await client.request('GET', '/v1/status')
  // A critical one is a 503 that carries its data.
  return Object.keys(body).includes('data') ? body.data.status : null
}

/** Names of the stores that were rebuilt because of damage. */
const rebuilt = (): string[] =>
  server
    .errors()
    .split('\n')
    .filter((line) => line.includes('the read model was rebuilt from the log'))
    .map((line) => JSON.parse(line).readModel as string)
    .sort()

function fileOf(name: StoreName): string {
  const readModels = join(folder.path, 'read-models')
  const [file] = readdirSync(readModels).filter((file) => new RegExp(`^${name}-\\d+\\.sqlite$`).test(file))
  return join(readModels, file!)
}

describe('garbage in the middle of a read model', () => {
  test('of each of them, with the service stopped: it starts with all there is', async () => {
    const before = await seen()
    await server.stop()
    for (const name of STORES) damageMiddle(fileOf(name))
    await start()
    expect(await seen()).toEqual(before)
    expect(await statusOf()).toBe('operational')
    expect(rebuilt()).toEqual([...STORES].sort())
  })

  test.each([
    ['catalog', 'item_newest', reads.items!, reads.usage!],
    ['catalog', 'entry', reads.search!, reads.items!],
    ['records', 'cost_0', reads.usage!, reads.search!],
    ['access', 'api_key', reads.items!, () => fetch(`${server.url}/healthz`)],
  ] as const)('%s (%s), while it runs: refused until it is mended', async (name, tree, touched, other) => {
    const before = await seen()
    // Started anew, so that no page is in anybody's memory and all are in the file itself.
    await server.stop()
    await start()
    damageTree(fileOf(name), tree)
    const refused = await touched()
    expectStatus(refused, 503)
    expect(JSON.stringify(refused.body).toUpperCase()).toContain('SERVICE_UNAVAILABLE')
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
    expectStatus(await other(), 200)
    await vi.waitFor(async () => expectStatus(await touched(), 200), PATIENT)
    expect(await seen()).toEqual(before)
    await vi.waitFor(async () => expect(await statusOf()).toBe('operational'), PATIENT)
    expect(rebuilt()).toEqual([name])
  })

  test('the erasure ledger: it starts, and what was erased stays so', async () => {
    await vi.waitFor(async () => expect(await statusOf()).toBe('operational'), PATIENT)
    const { items } = (await reads.items!()).body.data
    await client.request('DELETE', `/v1/media/${items[0].media_id}`)
    const before = await seen()
    await server.stop()
    damageMiddle(join(folder.path, 'read-models', 'erased.sqlite'))
    await start()
    expect(server.errors()).toContain('the erasure ledger was damaged')
    expect(await seen()).toEqual(before)
    await vi.waitFor(async () => expect(await pendingErasures()).toBe(0), PATIENT)
  })
})

async function pendingErasures(): Promise<number> {
  const metrics = connect(server.url, { authorization: `Bearer ${server.operatorToken}` })
  const { body } = await metrics.request('GET', '/metrics')
  return Number(/^medialog_erasures_pending (\d+)$/m.exec(body)![1])
}

describe('a thread that dies', () => {
  test.each(['projections', 'search'])('%s: shown meanwhile, back by itself, nothing lost', async (name) => {
    await server.stop()
    await start(DYING, { DYING: name, DEATHS: '6' })
    const before = await seen()
    process.kill(server.pid, 'SIGUSR2')
    await vi.waitFor(async () => expect(await statusOf()).toBe('degraded'), PATIENT)
    expectStatus(await client.upload(`during ${name}.txt`, `Uploaded while ${name} was away.`), 200)
    await vi.waitFor(async () => expect(await statusOf()).toBe('operational'), PATIENT)
    // The upload was answered while nobody followed the log: it shows once that is caught up with.
    await vi.waitFor(async () => {
      const { items } = (await reads.items!()).body.data
      expect(items[0].file_info.filename).toBe(`during ${name}.txt`)
      expect(items.slice(1)).toEqual((before as { items: unknown[] }).items)
    }, PATIENT)
    expectStatus(await reads.search!(), 200)
    expect(server.errors()).toContain(`the ${name} thread died and is started again`)
  })
})
