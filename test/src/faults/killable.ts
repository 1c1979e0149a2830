import { afterAll, beforeAll, expect, vi } from 'vitest'
import { nano } from '../harness/batches.ts'
import { asAccount, type Client } from '../harness/client.ts'
import { startServer, temporaryDataFolder, type RunningServer } from '../harness/server.ts'

const ENTRY = new URL('./killable-server.ts', import.meta.url).pathname
/** What the first account is opened with, and what an item costs: USD. */
const OPENING = 10
const ITEM = 0.04

/** A server that dies at one of its awaited calls, on the data folder of its test file. */
export interface Doomed {
  server: RunningServer
  client: Client
}

/** One data folder and account for the tests of one file, and servers on it, one at a time. */
export interface Killable {
  readonly folder: string
  /**
   * Starts a server that kills itself (-9) before or after its n-th awaited call, counted from when it is ready;
   * `fromStart`: from its start.
   */
  doom(n: number, when: 'before' | 'after', options?: { fromStart?: boolean }): Promise<Doomed>
  /** What holds of the next server, an ordinary one, which then stops in order. */
  revive(check: (client: Client) => Promise<void>): Promise<void>
}

/** `prepare` does what is there before the first death; `settings` are those of every server. */
export function useKillable(
  prepare: (client: Client) => Promise<void> = async () => {},
  settings: Record<string, string> = {},
): Killable {
  let folder: Awaited<ReturnType<typeof temporaryDataFolder>>
  let apiKey = ''
  beforeAll(async () => {
    folder = await temporaryDataFolder()
    const server = await startServer({ dataFolder: folder.path, env: settings })
    apiKey = server.apiKey!
    await prepare(asAccount(server.url, apiKey))
    await server.stop()
  })
  afterAll(() => folder.remove())
  return {
    get folder() {
      return folder.path
    },
    async doom(n, when, { fromStart = false } = {}) {
      const env = { ...settings, KILL_AT: String(n), KILL_WHEN: when, ...(fromStart && { KILL_ARMED: '1' }) }
      const server = await startServer({ dataFolder: folder.path, entry: ENTRY, env })
      if (!fromStart) await arm(server)
      return { server, client: asAccount(server.url, apiKey) }
    },
    async revive(check) {
      const server = await startServer({ dataFolder: folder.path, env: settings })
      try {
        await check(asAccount(server.url, apiKey))
      } finally {
        expect(await server.stop()).toBe(0)
      }
    },
  }
}

/** From here on the calls of killable-server.ts count. */
export async function arm(server: RunningServer): Promise<void> {
  process.kill(server.pid, 'SIGUSR2')
  await vi.waitUntil(() => server.errors().includes('armed'), { timeout: 30_000, interval: 5 })
}

/**
 * Sends a request to a server that dies at one of its points: no answer of it is ever half one. Answers whether it
 * died; the server is gone either way.
 */
export async function diesOf({ server }: Doomed, request: Promise<{ status: number }>): Promise<boolean> {
  const answered = await request.catch(() => null)
  if (answered?.status === 200) {
    await server.stop()
    return false
  }
  expect(answered, 'a killed server answers nothing').toBeNull()
  await server.kill()
  return true
}

/** Dies at the first point, then one `stride` further, … until there is none; answers how many points there were. */
export async function walk(
  dies: (n: number) => Promise<boolean>,
  { most, stride = 1 }: { most: number; stride?: number },
): Promise<number> {
  let point = 1
  for (; await dies(point); point += stride) expect(point).toBeLessThan(most)
  return point - 1
}

export const balanceOf = async (client: Client): Promise<number> =>
  nano((await client.request('GET', '/v1/usage')).body.data.account_info.balance)

/**
 * What must hold whenever nothing is under way: the account has paid for its items and for `others` (nano-USD), to the
 * nano-dollar.
 */
export async function expectBooksToBalance(client: Client, others = 0): Promise<void> {
  const { account_info: account, billing_summary: bill } = (await client.request('GET', '/v1/usage')).body
    .data
  const { total_items: items } = (await client.request('GET', '/v1/media')).body.data.pagination
  const spent = items * nano(ITEM) + others
  expect(nano(account.balance)).toBe(nano(OPENING) - spent)
  const costs: number[] = Object.values(bill.usage_costs)
  expect(costs.reduce((sum, cost) => sum + nano(cost), 0)).toBe(spent)
}
