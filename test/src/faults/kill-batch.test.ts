import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { endedBatch, expectWholeBatch, nano, statusesOf } from '../harness/batches.ts'
import { asAccount, type Client } from '../harness/client.ts'
import { startServer, temporaryDataFolder, type RunningServer } from '../harness/server.ts'
import { arm } from './arm.ts'

const ENTRY = new URL('./killable-server.ts', import.meta.url).pathname
/** More points than a batch has: the walk ends where one gets through. */
const MOST_POINTS = 90

let folder: Awaited<ReturnType<typeof temporaryDataFolder>>
let apiKey = ''

beforeAll(async () => {
  folder = await temporaryDataFolder()
  const server = await startServer({ dataFolder: folder.path })
  apiKey = server.apiKey!
  await server.stop()
})
afterAll(() => folder.remove())

/** One that is stored, one broken, one a duplicate of the first. */
const filesOf = (name: string) => {
  const text = `What was written down for ${name}, somewhere near Ísafjörður.`
  return [
    { filename: `${name}.txt`, bytes: text },
    { filename: `${name}.pdf`, bytes: `%PDF-1.7 ${name}` },
    { filename: `${name}-twin.txt`, bytes: text },
  ]
}

/** What must hold whenever nothing is under way: the balance is what the items cost, to the nano-dollar. */
async function expectBooksToBalance(client: Client): Promise<void> {
  const usage = (await client.request('GET', '/v1/usage')).body.data
  const { total_items: items } = (await client.request('GET', '/v1/media')).body.data.pagination
  expect(nano(usage.account_info.balance)).toBe(nano(10) - items * nano(0.04))
}

interface Walk {
  name: string
  key: Record<string, string>
  cancels: boolean
}

/** Makes a batch that dies at its n-th point; answers whether there was such a point. */
async function dies(n: number, { name, key, cancels }: Walk): Promise<boolean> {
  const server = await startServer({
    dataFolder: folder.path,
    entry: ENTRY,
    env: { KILL_AT: String(n), KILL_WHEN: 'after' },
  })
  await arm(server)
  const client = asAccount(server.url, apiKey)
  let survived = false
  try {
    const { body } = await client.batch(filesOf(name), {}, key)
    if (cancels) await client.request('PUT', `/v1/batches/${body.data.batch_id}/state`)
    await endedBatch(client, body.data.batch_id)
    survived = true
  } catch (error) {
    // A connection to a killed server breaks, or is not taken at all.
    expect(String(error)).toMatch(/fetch failed|terminated/)
  }
  // Work that goes on after the last answer may still meet its point.
  if (survived) await server.stop()
  else await server.kill()
  return !survived
}

/** Waits until the batch has ended or the server is gone. */
async function endedOnce({ url }: RunningServer, name: string): Promise<void> {
  const client = asAccount(url, apiKey)
  const { body } = await client
    .batch(filesOf(name), {}, { 'idempotency-key': name })
    .catch(() => ({ body: null }))
  if (body) await endedBatch(client, body.data.batch_id).catch(() => undefined)
}

async function expectRecovery({ name, key, cancels }: Walk): Promise<void> {
  const server: RunningServer = await startServer({ dataFolder: folder.path })
  const client = asAccount(server.url, apiKey)
  try {
    const before = (await client.request('GET', '/v1/batches?page_size=1')).body.data.pagination.total_items
    // The client never heard: it asks again with the same key, and has its batch, once.
    const { status, headers, body } = await client.batch(filesOf(name), {}, key)
    expect(status, JSON.stringify(body)).toBe(200)
    const { total_items: now } = (await client.request('GET', '/v1/batches?page_size=1')).body.data.pagination
    expect(headers.get('idempotency-replayed')).toBe(now === before ? 'true' : null)
    if (cancels) await client.request('PUT', `/v1/batches/${body.data.batch_id}/state`)
    const ended = await endedBatch(client, body.data.batch_id)
    expectWholeBatch(
      ended,
      filesOf(name).map(({ filename }) => filename),
    )
    if (!cancels) expect(statusesOf(ended.results)).toEqual(['succeeded', 'corrupted_file', 'processed'])
    await expectBooksToBalance(client)
    expect(await readdir(join(folder.path, 'staging'))).toEqual([])
  } finally {
    expect(await server.stop()).toBe(0)
  }
}

describe.each([
  ['that runs', false, 1],
  // Most of its points are those of a batch that runs.
  ['that is cancelled', true, 3],
])('kill -9 after the awaited points of a batch %s', (kind, cancels, stride) => {
  test(
    'leaves it to go on, or as if it had never been sent',
    async () => {
      let point = 1
      for (; point < MOST_POINTS; point += stride) {
        const name = `${cancels ? 'cancelled' : 'run'}-${point}`
        const walk = { name, key: { 'idempotency-key': name }, cancels }
        if (!(await dies(point, walk))) break
        await expectRecovery(walk)
      }
      // Files staged, request, intent, charge, created, started, claims, artifacts, records, ends, refunds, …
      expect(point, kind).toBeGreaterThan(12)
      expect(point).toBeLessThan(MOST_POINTS)
    },
    30 * 60_000,
  )
})

test(
  'a second kill -9, while the first is recovered from, changes nothing',
  async () => {
    for (const again of [1, 2, 3, 5, 8, 13, 21]) {
      const name = `twice-${again}`
      const walk = { name, key: { 'idempotency-key': name }, cancels: false }
      expect(await dies(15, walk)).toBe(true)
      const env = { KILL_ARMED: '1', KILL_AT: String(again), KILL_WHEN: 'after' }
      const second = await startServer({ dataFolder: folder.path, entry: ENTRY, env }).catch(() => null)
      // It died before it was ready, or dies while the batch goes on.
      if (second) {
        await endedOnce(second, name)
        await second.kill()
      }
      await expectRecovery(walk)
    }
  },
  30 * 60_000,
)
