import { readdir, readFile } from 'node:fs/promises'
import { basename, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { overwritten, truncated } from '@medialog/understanding/testing/fixtures'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { asAccount, asOperator, type Client } from '../harness/client.ts'
import { startServer, temporaryDataFolder, type RunningServer } from '../harness/server.ts'

const FIXTURES = fileURLToPath(new URL('../../fixtures', import.meta.url))
/** What a file that cannot be read is refused with: not as none, not of a known type, or too large. */
const REFUSED = new Set([400, 413, 415, 422])
const SEED = 20261122
const ITEM = 0.04
/** The promise is ten seconds; a machine with other work gets more. */
const LONGEST_MS = 30_000
const MOST_MB = 700

let folder: Awaited<ReturnType<typeof temporaryDataFolder>>
let server: RunningServer
let client: Client
let balance: number
let stored = 0
beforeAll(async () => {
  folder = await temporaryDataFolder()
  server = await startServer({ dataFolder: folder.path })
  client = asAccount(server.url, server.apiKey!)
  const operator = asOperator(server.url, server.operatorToken)
  const [account] = (await operator.request('GET', '/admin/accounts')).body.data.accounts
  await operator.request('POST', `/admin/accounts/${account.account_id}/credits`, { json: { amount: 100 } })
  balance = await balanceNow()
})
afterAll(async () => {
  await server.stop()
  await folder.remove()
})

const balanceNow = async (): Promise<number> =>
  (await client.request('GET', '/v1/usage')).body.data.account_info.balance

/** One sample in so many, of each folder. Each under each damage: packages/understanding/src/extract/broken-files.test.ts. */
const ONE_IN = 3
const samples = (await readdir(FIXTURES, { recursive: true, withFileTypes: true }))
  .filter((entry) => entry.isFile() && basename(entry.parentPath) !== 'fixtures')
  .map((entry) => relative(FIXTURES, join(entry.parentPath, entry.name)))
  .sort()
  .filter((path, index) => path.startsWith('hostile') || index % ONE_IN === 0)

const DAMAGES = {
  'as it is': (bytes: Uint8Array) => bytes,
  'cut at 60 %': truncated,
  'one byte in 50 overwritten': (bytes: Uint8Array) => overwritten(bytes, SEED),
}
const DAMAGED = ['cut at 60 %', 'one byte in 50 overwritten'] as const

test.each(
  samples.map((path, index) => {
    const name = path.startsWith('hostile') ? 'as it is' : DAMAGED[index % DAMAGED.length]!
    return [path, name, DAMAGES[name]] as const
  }),
)('%s, %s: stored with what could be read, or refused for nothing', async (path, _, damage) => {
  const bytes = Buffer.from(damage(await readFile(join(FIXTURES, path))))
  const began = performance.now()
  const { status, body } = await client.upload(basename(path), bytes)
  expect(performance.now() - began).toBeLessThan(LONGEST_MS)
  if (status === 200) {
    stored++
    expect(body.data.content_summary.summary).not.toBe('')
    return
  }
  expect(REFUSED, JSON.stringify(body)).toContain(status)
  expect(body.message).toMatch(/^[A-Z].+\.$/)
})

test('only what was stored is paid for, nothing is left of the rest, and the service stayed small', async () => {
  const { body } = await client.request('GET', '/v1/media')
  expect(body.data.pagination.total_items).toBe(stored)
  expect(stored).toBeGreaterThan(5)
  expect(Math.round((balance - (await balanceNow())) * 100)).toBe(Math.round(stored * ITEM * 100))
  expect(await readdir(join(folder.path, 'staging'))).toEqual([])
  const status = await readFile(`/proc/${server.pid}/status`, 'utf8')
  const peakMb = Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)![1]) / 1_000
  expect(peakMb).toBeLessThan(MOST_MB)
})
