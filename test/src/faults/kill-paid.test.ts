import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { nano } from '../harness/batches.ts'
import { asAccount, type Answer, type Client } from '../harness/client.ts'
import { filesHolding, filesIn } from '../harness/files.ts'
import { startServer, temporaryDataFolder } from '../harness/server.ts'
import { arm } from './arm.ts'

const ENTRY = new URL('./killable-server.ts', import.meta.url).pathname
const GERTIE = new URL('../../fixtures/demo/galloping-gertie.txt', import.meta.url)
/** More points than a request has: the walk ends where one gets through. */
const MOST_POINTS = 30
const SECRET = 'quagmirebandicoot'

let folder: Awaited<ReturnType<typeof temporaryDataFolder>>
let apiKey = ''

beforeAll(async () => {
  folder = await temporaryDataFolder()
  const server = await startServer({ dataFolder: folder.path })
  apiKey = server.apiKey!
  await asAccount(server.url, apiKey).upload('gertie.txt', await readFile(GERTIE))
  await server.stop()
})
afterAll(() => folder.remove())

type Send = (client: Client, key: string) => Promise<Answer>
const ask: Send = async (client, key) => {
  const { items } = (await client.request('GET', '/v1/media')).body.data
  const media_id = `vec-${items[0].media_id.slice('doc_'.length)}`
  const json = { query: 'When did the bridge open?', media_id, stream: true }
  return client.request('POST', '/v1/ai/query', { json, headers: { 'idempotency-key': key } })
}
const analyze: Send = (client, key) => {
  const form = new FormData()
  form.set('query', 'How much does the machine weigh?')
  form.set('file', new Blob([`The ${SECRET} machine weighs forty tons.`]), `${SECRET}.txt`)
  return client.request('POST', '/v1/ai/analyze', { form, headers: { 'idempotency-key': key } })
}

const balance = async (client: Client): Promise<number> =>
  nano((await client.request('GET', '/v1/usage')).body.data.account_info.balance)

/** One request that dies at point `n`; answers whether there was such a point. */
async function sendAndDie(send: Send, price: number, n: number, key: string): Promise<boolean> {
  const env = { KILL_AT: String(n), KILL_WHEN: 'before' }
  const doomed = await startServer({ dataFolder: folder.path, entry: ENTRY, env })
  const opening = await balance(asAccount(doomed.url, apiKey))
  await arm(doomed)
  const answered = await send(asAccount(doomed.url, apiKey), key).catch(() => null)
  if (answered?.status === 200) {
    await doomed.stop()
    return false
  }
  await doomed.kill()
  const server = await startServer({ dataFolder: folder.path })
  const client = asAccount(server.url, apiKey)
  try {
    // Nothing is half charged: refunded, or answered for whoever asks again.
    const after = await balance(client)
    expect([opening, opening - price]).toContain(after)
    expect(await filesIn(join(folder.path, 'staging'))).toEqual([])
    const again = await send(client, key)
    expect(again.status).toBe(200)
    expect(again.headers.get('idempotency-replayed')).toBe(after === opening ? null : 'true')
    expect(await balance(client)).toBe(opening - price)
    expect(await filesHolding(folder.path, [SECRET])).toEqual([])
  } finally {
    expect(await server.stop()).toBe(0)
  }
  return true
}

describe.each<[what: string, send: Send, price: number]>([
  ['a question', ask, nano(0.01)],
  ['an analysis', analyze, nano(0.03)],
])('kill -9 at each awaited point of %s', (what, send, price) => {
  test(
    'leaves it refunded, or answered and charged once',
    async () => {
      let points = 0
      while (await sendAndDie(send, price, points + 1, `${what.replaceAll(' ', '-')}-${points + 1}`)) {
        points++
        expect(points).toBeLessThan(MOST_POINTS)
      }
      // start of the request, charge, the work, completion, settlement, …
      expect(points).toBeGreaterThanOrEqual(5)
    },
    20 * 60_000,
  )
})
