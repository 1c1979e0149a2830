import { rm, writeFile } from 'node:fs/promises'
import { afterEach, beforeEach, expect, vi } from 'vitest'
import { nano } from '../harness/batches.ts'
import { asAccount, type Client } from '../harness/client.ts'
import { startServer, temporaryDataFolder, type RunningServer } from '../harness/server.ts'
import { killPlanOf, type KillPlan } from './kill-plan.ts'

/** What runs the server with points to be killed at. */
export const KILLABLE_ENTRY = new URL('./killable-server.ts', import.meta.url).pathname
/** What the first account is opened with, and what an item costs: USD. */
const OPENING = 10
const ITEM = 0.04

/** A server that dies at one of its awaited calls, on the data folder of its test. */
export interface Doomed {
  server: RunningServer
  client: Client
}

/**
 * A data folder and account for each test, and servers on it, one at a time: the one that a death is recovered from by is
 * the one that dies next.
 */
export interface Killable {
  readonly folder: string
  /**
   * A server that kills itself (-9) before or after its n-th awaited call from now on; `fromStart`: one that is started,
   * and its calls counted from then.
   */
  doom(n: number, when: 'before' | 'after', options?: { fromStart?: boolean }): Promise<Doomed>
  /** What holds of the next server. */
  revive(check: (client: Client) => Promise<void>): Promise<void>
}

/** `settings` are those of every server. */
export function useKillable(settings: Record<string, string> = {}): Killable {
  let folder: Awaited<ReturnType<typeof temporaryDataFolder>>
  let apiKey = ''
  /** Nobody has been told to kill it. */
  let living: RunningServer | null = null

  const start = (env: Record<string, string> = {}): Promise<RunningServer> =>
    startServer({ dataFolder: folder.path, entry: KILLABLE_ENTRY, env: { ...settings, ...env } })
  async function stop(): Promise<void> {
    const server = living
    living = null
    if (server) expect(await server.stop()).toBe(0)
  }

  beforeEach(async () => {
    folder = await temporaryDataFolder()
    living = await start()
    apiKey = living.apiKey!
  })
  afterEach(async () => {
    try {
      await stop()
    } finally {
      await rm(killPlanOf(folder.path), { force: true })
      await folder.remove()
    }
  })
  return {
    get folder() {
      return folder.path
    },
    async doom(n, when, { fromStart = false } = {}) {
      const plan: KillPlan = { at: n, when }
      if (fromStart) await stop()
      const server = living ?? (await start(fromStart ? { KILL_PLAN: JSON.stringify(plan) } : {}))
      living = null
      if (!fromStart) await arm(server, folder.path, plan)
      return { server, client: asAccount(server.url, apiKey) }
    },
    async revive(check) {
      living = await start()
      await check(asAccount(living.url, apiKey))
    },
  }
}

/** From here on the calls of killable-server.ts count. */
export async function arm(server: RunningServer, dataFolder: string, plan: KillPlan): Promise<void> {
  await writeFile(killPlanOf(dataFolder), JSON.stringify(plan))
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
