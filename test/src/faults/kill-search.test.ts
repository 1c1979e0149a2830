import { describe, expect, test } from 'vitest'
import { nano } from '../harness/batches.ts'
import { diesOf, expectBooksToBalance, useKillable, walk } from './killable.ts'

/** Two levels are asked for, one is reached. */
const PRICE = 0.02
const MOST_POINTS = 30

const SEARCH = { query: 'moon landing', type: 'advanced', config: { context_depth: 2 } }

let answers: number

const killable = useKillable(async (client) => {
  answers = 0
  const files = [
    ['moon.txt', 'The moon landing of 1969 made Neil Armstrong famous.'],
    ['ohio.txt', 'Neil Armstrong was born on a farm in Ohio.'],
  ] as const
  for (const [name, text] of files) await client.upload(name, text)
})

/** One search that dies at point `n`; answers whether there was such a point. */
async function searchAndDie(n: number, when: 'before' | 'after'): Promise<boolean> {
  const request = { json: SEARCH, headers: { 'idempotency-key': `${when}-${n}` } }
  const doomed = await killable.doom(n, when)
  const died = await diesOf(doomed, doomed.client.request('POST', '/v1/search', request))
  answers++
  if (!died) return false
  await killable.revive(async (client) => {
    // The client never heard: what it asks again with the same key it pays once, whenever the server died.
    const { status, body } = await client.request('POST', '/v1/search', request)
    expect(status, JSON.stringify(body)).toBe(200)
    expect(body.data.cost).toBe(PRICE)
    expect(body.data.results).toHaveLength(2)
    await expectBooksToBalance(client, answers * nano(PRICE))
  })
  return true
}

describe.each(['before', 'after'] as const)('kill -9 %s each awaited point of a paid search', (when) => {
  test(
    'leaves each search answered and paid once',
    async () => {
      const points = await walk((n) => searchAndDie(n, when), { most: MOST_POINTS })
      // start of the request, charge, search, refund, completion, settling, reads
      expect(points).toBeGreaterThanOrEqual(6)
    },
    10 * 60_000,
  )
})
