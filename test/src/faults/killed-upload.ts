import { join } from 'node:path'
import { expect } from 'vitest'
import type { Client } from '../harness/client.ts'
import { filesIn } from '../harness/files.ts'
import { diesOf, expectBooksToBalance, type Killable } from './killable.ts'
import { expectStatus } from '../harness/expect-status.ts'

async function itemsNamed(client: Client, filename: string): Promise<unknown[]> {
  const { body } = await client.request('GET', '/v1/media?page_size=100')
  return body.data.items.filter(
    (item: { file_info: { filename: string } }) => item.file_info.filename === filename,
  )
}

/** One upload that dies at point `n`, and what is left of it; answers whether there was such a point. */
export async function uploadAndDie(
  killable: Killable,
  n: number,
  when: 'before' | 'after',
): Promise<boolean> {
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
    expectStatus(again, 200)
    expect(again.headers.get('idempotency-replayed')).toBe(found.length === 1 ? 'true' : null)
    expect(await itemsNamed(client, filename)).toHaveLength(1)
    await expectBooksToBalance(client)
  })
  return true
}
