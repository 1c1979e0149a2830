import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { nano } from '../harness/batches.ts'
import { asAccount, type Client } from '../harness/client.ts'
import { filesIn } from '../harness/files.ts'
import { startServer, temporaryDataFolder, type RunningServer } from '../harness/server.ts'
import { arm } from './arm.ts'

const ENTRY = new URL('./killable-server.ts', import.meta.url).pathname
const PRICE = 0.04
const OPENING = 10
/** More points than a saga has: the walk ends where an upload gets through. */
const MOST_POINTS = 60

let folder: Awaited<ReturnType<typeof temporaryDataFolder>>
let apiKey = ''

beforeAll(async () => {
  folder = await temporaryDataFolder()
  const server = await startServer({ dataFolder: folder.path })
  apiKey = server.apiKey!
  await server.stop()
})
afterAll(() => folder.remove())

async function itemsNamed(client: Client, filename: string): Promise<unknown[]> {
  const { body } = await client.request('GET', '/v1/media?page_size=100')
  return body.data.items.filter(
    (item: { file_info: { filename: string } }) => item.file_info.filename === filename,
  )
}

/** What must hold whenever nothing is under way: the balance is what the items cost, to the nano-dollar. */
async function expectBooksToBalance(client: Client): Promise<void> {
  const usage = (await client.request('GET', '/v1/usage?detailed=true')).body.data
  const { total_items: items } = (await client.request('GET', '/v1/media')).body.data.pagination
  expect(nano(usage.account_info.balance)).toBe(nano(OPENING) - items * nano(PRICE))
  const costs: number[] = Object.values(usage.billing_summary.usage_costs)
  expect(costs.reduce((sum, cost) => sum + nano(cost), 0)).toBe(items * nano(PRICE))
}

/** One upload that dies at point `n`; answers whether there was such a point. */
async function uploadAndDie(n: number, when: 'before' | 'after'): Promise<boolean> {
  const filename = `killed-${when}-${n}.txt`
  const text = `The ${n}th upload was interrupted ${when} the work was done, somewhere near Reykjavik.`
  const key = { 'idempotency-key': `${when}-${n}` }
  const server = await startServer({
    dataFolder: folder.path,
    entry: ENTRY,
    env: { KILL_AT: String(n), KILL_WHEN: when },
  })
  await arm(server)
  const answered = await asAccount(server.url, apiKey)
    .upload(filename, text, {}, key)
    .catch(() => null)
  if (answered?.status === 200) {
    await server.stop()
    return false
  }
  expect(answered, 'a killed server answers nothing').toBeNull()
  await server.kill()
  await expectRecovery(filename, text, key)
  return true
}

async function expectRecovery(filename: string, text: string, key: Record<string, string>): Promise<void> {
  const server: RunningServer = await startServer({ dataFolder: folder.path })
  const client = asAccount(server.url, apiKey)
  try {
    const found = await itemsNamed(client, filename)
    expect(found.length).toBeLessThanOrEqual(1)
    await expectBooksToBalance(client)
    expect(await filesIn(join(folder.path, 'staging'))).toEqual([])
    // The client never heard: it asks again with the same key, and has its item, charged once.
    const again = await client.upload(filename, text, {}, key)
    expect(again.status).toBe(200)
    expect(again.headers.get('idempotency-replayed')).toBe(found.length === 1 ? 'true' : null)
    expect(await itemsNamed(client, filename)).toHaveLength(1)
    await expectBooksToBalance(client)
  } finally {
    expect(await server.stop()).toBe(0)
  }
}

describe.each(['before', 'after'] as const)('kill -9 %s each awaited point of the saga', (when) => {
  test(
    'leaves each upload stored and charged, or absent and refunded',
    async () => {
      let points = 0
      while (await uploadAndDie(points + 1, when)) {
        points++
        expect(points).toBeLessThan(MOST_POINTS)
      }
      // stage, start of the request, claim, charge, understand, two artifacts, record, complete, settle, …
      expect(points).toBeGreaterThanOrEqual(10)
    },
    30 * 60_000,
  )
})
