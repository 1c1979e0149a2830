import { rm } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { asAccount, asOperator, type Answer } from '../harness/client.ts'
import { filesHolding } from '../harness/files.ts'
import { startServer, temporaryDataFolder, type RunningServer } from '../harness/server.ts'
import { arm, walk } from './killable.ts'
import { killPlanOf } from './kill-plan.ts'

const ENTRY = new URL('./killable-server.ts', import.meta.url).pathname
const PATIENT = { timeout: 120_000, interval: 100 }
const MOST_POINTS = 80
/** Of the points of a closing every so many-th is tried, others before than after. */
const STRIDE = 6

let folder: Awaited<ReturnType<typeof temporaryDataFolder>>
let server: RunningServer
const start = (): Promise<RunningServer> =>
  startServer({ dataFolder: folder.path, entry: ENTRY, env: { KILL_ERASING: '1' } })
beforeAll(async () => {
  folder = await temporaryDataFolder()
  server = await start()
})
afterAll(async () => {
  await server.stop()
  await rm(killPlanOf(folder.path), { force: true })
  await folder.remove()
})

const operator = () => asOperator(server.url, server.operatorToken)

/** An account with items in two collections, and a batch that may have more to do than there is time for. */
async function openedAccount(word: string): Promise<string> {
  const opened = await operator().request('POST', '/admin/accounts', { json: { name: word, credit: 5 } })
  const accountId: string = opened.body.data.account_id
  const path = `/admin/accounts/${accountId}/keys`
  const key = await operator().request('POST', path, { json: { label: word } })
  const client = asAccount(server.url, key.body.data.api_key)
  for (const collection_id of ['default', `${word}-papers`])
    await client.upload(
      `${word}.txt`,
      `The ${word} in ${collection_id} sings.`,
      { collection_id },
      { 'idempotency-key': collection_id },
    )
  const webhook = { url: `https://${word}.example/hook` }
  expect((await client.request('POST', '/v1/webhooks', { json: webhook })).status).toBe(200)
  const files = [1, 2, 3].map((n) => ({ filename: `${word}-${n}.txt`, bytes: `The ${word} number ${n}.` }))
  expect((await client.batch(files)).status).toBe(200)
  return accountId
}

const close = (accountId: string): Promise<Answer> =>
  operator().request('DELETE', `/admin/accounts/${accountId}`)

/** Asks until it is closed and erased; false where the server died before. */
async function closes(accountId: string): Promise<boolean> {
  const until = Date.now() + PATIENT.timeout
  while (Date.now() < until) {
    const answer = await close(accountId).catch(() => null)
    if (answer === null) return false
    if (answer.body.data?.erasure.status === 'erased') return true
    await sleep(PATIENT.interval)
  }
  throw new Error(`the account is not erased: ${server.errors()}`)
}

/** An account is closed by a server that dies at point `n`; answers whether there was such a point. */
async function closeAndDie(n: number, when: 'before' | 'after'): Promise<boolean> {
  const word = `kookaburra${when}${n}x`
  const accountId = await openedAccount(word)
  await arm(server, folder.path, { at: n, when })
  const died = !(await closes(accountId))
  await (died ? server.kill() : server.stop())
  server = await start()
  expect(await closes(accountId)).toBe(true)
  const { balance, erasure } = (await close(accountId)).body.data
  expect(erasure.receipt).toMatchObject({
    subject: { kind: 'account' },
    ingests: erasure.receipt.items.length,
  })
  await vi.waitFor(async () => expect(await filesHolding(folder.path, [word])).toEqual([]), PATIENT)
  const statement = await operator().request('GET', `/admin/accounts/${accountId}/statement`)
  expect(statement.body.data.proof.holds).toBe(true)
  expect(Number(statement.body.data.closing_balance)).toBe(balance)
  return died
}

describe.each([
  ['before', 0],
  ['after', STRIDE / 2],
] as const)('kill -9 %s points of closing an account', (when, offset) => {
  test(
    'leaves nothing of it but its ledger, once the next server had its time',
    async () => {
      const points = await walk((n) => closeAndDie(n + offset, when), { most: MOST_POINTS, stride: STRIDE })
      // The request, the closing, what ends the batch, items and their artifacts, names, two read models, the receipt.
      expect(points).toBeGreaterThan(12)
    },
    15 * 60_000,
  )
})
