import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { Client } from '../harness/client.ts'
import { filesIn } from '../harness/files.ts'
import { diesOf, expectBooksToBalance, useKillable, walk } from './killable.ts'

/** More points than a saga has: the walk ends where an upload gets through. */
const MOST_POINTS = 60
const killable = useKillable()

async function itemsNamed(client: Client, filename: string): Promise<unknown[]> {
  const { body } = await client.request('GET', '/v1/media?page_size=100')
  return body.data.items.filter(
    (item: { file_info: { filename: string } }) => item.file_info.filename === filename,
  )
}

/** One upload that dies at point `n`; answers whether there was such a point. */
async function uploadAndDie(n: number, when: 'before' | 'after'): Promise<boolean> {
  const filename = `killed-${when}-${n}.txt`
  const text = `The ${n}th upload was interrupted ${when} the work was done, somewhere near Reykjavik.`
  const key = { 'idempotency-key': `${when}-${n}` }
  const doomed = await killable.doom(n, when)
  if (!(await diesOf(doomed, doomed.client.upload(filename, text, {}, key)))) return false
  await killable.revive(async (client) => {
    const found = await itemsNamed(client, filename)
    expect(found.length).toBeLessThanOrEqual(1)
    await expectBooksToBalance(client)
    expect(await filesIn(join(killable.folder, 'staging'))).toEqual([])
    // The client never heard: it asks again with the same key, and has its item, charged once.
    const again = await client.upload(filename, text, {}, key)
    expect(again.status).toBe(200)
    expect(again.headers.get('idempotency-replayed')).toBe(found.length === 1 ? 'true' : null)
    expect(await itemsNamed(client, filename)).toHaveLength(1)
    await expectBooksToBalance(client)
  })
  return true
}

describe.each(['before', 'after'] as const)('kill -9 %s each awaited point of the saga', (when) => {
  test(
    'leaves each upload stored and charged, or absent and refunded',
    async () => {
      const points = await walk((n) => uploadAndDie(n, when), { most: MOST_POINTS })
      // stage, start of the request, claim, charge, understand, two artifacts, record, complete, settle, …
      expect(points).toBeGreaterThanOrEqual(10)
    },
    30 * 60_000,
  )
})
