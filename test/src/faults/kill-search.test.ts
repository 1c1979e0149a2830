import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { nano } from '../harness/batches.ts'
import { asAccount, type Client } from '../harness/client.ts'
import { arm } from './arm.ts'
import { startServer, temporaryDataFolder } from '../harness/server.ts'

const ENTRY = new URL('./killable-server.ts', import.meta.url).pathname
const OPENING = 10
const UPLOADS = 0.08
/** Two levels are asked for, one is reached. */
const PRICE = 0.02
const MOST_POINTS = 30

const SEARCH = { query: 'moon landing', type: 'advanced', config: { context_depth: 2 } }

let folder: Awaited<ReturnType<typeof temporaryDataFolder>>
let apiKey = ''
let answers = 0

beforeAll(async () => {
  folder = await temporaryDataFolder()
  const server = await startServer({ dataFolder: folder.path })
  apiKey = server.apiKey!
  const client = asAccount(server.url, apiKey)
  const files = [
    ['moon.txt', 'The moon landing of 1969 made Neil Armstrong famous.'],
    ['ohio.txt', 'Neil Armstrong was born on a farm in Ohio.'],
  ] as const
  for (const [name, text] of files) await client.upload(name, text)
  await server.stop()
})
afterAll(() => folder.remove())

async function expectBooksToBalance(client: Client): Promise<void> {
  const { data } = (await client.request('GET', '/v1/usage')).body
  const spent = answers * nano(PRICE)
  expect(nano(data.account_info.balance)).toBe(nano(OPENING) - nano(UPLOADS) - spent)
  expect(nano(data.billing_summary.usage_costs.ADVANCED_SEARCH ?? 0)).toBe(spent)
}

/** One search that dies at point `n`; answers whether there was such a point. */
async function searchAndDie(n: number, when: 'before' | 'after'): Promise<boolean> {
  const headers = { 'idempotency-key': `${when}-${n}` }
  const env = { KILL_AT: String(n), KILL_WHEN: when }
  const server = await startServer({ dataFolder: folder.path, entry: ENTRY, env })
  await arm(server)
  const answered = await asAccount(server.url, apiKey)
    .request('POST', '/v1/search', { json: SEARCH, headers })
    .catch(() => null)
  if (answered?.status === 200) {
    answers++
    await server.stop()
    return false
  }
  expect(answered, 'a killed server answers nothing').toBeNull()
  await server.kill()

  const again = await startServer({ dataFolder: folder.path })
  const client = asAccount(again.url, apiKey)
  try {
    // The client never heard: what it asks again with the same key it pays once, whenever the server died.
    const { status, body } = await client.request('POST', '/v1/search', { json: SEARCH, headers })
    expect(status, JSON.stringify(body)).toBe(200)
    expect(body.data.cost).toBe(PRICE)
    expect(body.data.results).toHaveLength(2)
    answers++
    await expectBooksToBalance(client)
  } finally {
    expect(await again.stop()).toBe(0)
  }
  return true
}

describe.each(['before', 'after'] as const)('kill -9 %s each awaited point of a paid search', (when) => {
  test(
    'leaves each search answered and paid once',
    async () => {
      let points = 0
      while (await searchAndDie(points + 1, when)) {
        points++
        expect(points).toBeLessThan(MOST_POINTS)
      }
      // start of the request, charge, search, refund, completion, settling, reads
      expect(points).toBeGreaterThanOrEqual(6)
    },
    10 * 60_000,
  )
})
