import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { nano } from '../harness/batches.ts'
import type { Answer, Client } from '../harness/client.ts'
import { filesHolding, filesIn } from '../harness/files.ts'
import { balanceOf, diesOf, expectBooksToBalance, useKillable, walk } from './killable.ts'

const GERTIE = new URL('../../fixtures/demo/galloping-gertie.txt', import.meta.url)
/** More points than a request has: the walk ends where one gets through. */
const MOST_POINTS = 30
const SECRET = 'quagmirebandicoot'

/** What the requests so far cost, in nano-USD: each was paid once. */
let spent: number

const killable = useKillable(async (client) => {
  spent = 0
  await client.upload('gertie.txt', await readFile(GERTIE))
})

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

/** One request that dies at point `n`; answers whether there was such a point. */
async function sendAndDie(send: Send, price: number, n: number, key: string): Promise<boolean> {
  const doomed = await killable.doom(n, 'before')
  const died = await diesOf(doomed, send(doomed.client, key))
  const before = spent
  spent += price
  if (!died) return false
  await killable.revive(async (client) => {
    // Nothing is half charged: refunded, or answered for whoever asks again.
    const isPaid = (await balanceOf(client)) < nano(10 - 0.04) - before
    await expectBooksToBalance(client, isPaid ? spent : before)
    expect(await filesIn(join(killable.folder, 'staging'))).toEqual([])
    const again = await send(client, key)
    expect(again.status).toBe(200)
    expect(again.headers.get('idempotency-replayed')).toBe(isPaid ? 'true' : null)
    await expectBooksToBalance(client, spent)
    expect(await filesHolding(killable.folder, [SECRET])).toEqual([])
  })
  return true
}

describe.each<[what: string, send: Send, price: number]>([
  ['a question', ask, nano(0.01)],
  ['an analysis', analyze, nano(0.03)],
])('kill -9 at each awaited point of %s', (what, send, price) => {
  test(
    'leaves it refunded, or answered and charged once',
    async () => {
      const keyOf = (n: number) => `${what.replaceAll(' ', '-')}-${n}`
      const points = await walk((n) => sendAndDie(send, price, n, keyOf(n)), { most: MOST_POINTS })
      // start of the request, charge, the work, completion, settlement, …
      expect(points).toBeGreaterThanOrEqual(5)
    },
    20 * 60_000,
  )
})
