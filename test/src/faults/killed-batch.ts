import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'vitest'
import { endedBatch, expectWholeBatch, statusesOf } from '../harness/batches.ts'
import type { Client } from '../harness/client.ts'
import { diesOf, expectBooksToBalance, type Killable } from './killable.ts'

/** One that is stored, one broken, one a duplicate of the first. */
export const mixedFiles = (name: string) => {
  const text = `What was written down for ${name}, somewhere near Ísafjörður.`
  return [
    { filename: `${name}.txt`, bytes: text },
    { filename: `${name}.pdf`, bytes: `%PDF-1.7 ${name}` },
    { filename: `${name}-twin.txt`, bytes: text },
  ]
}

/** How the files of such a batch end. */
export const MIXED_ENDS = ['succeeded', 'corrupted_file', 'processed']

export interface KilledBatch {
  name: string
  key: Record<string, string>
  cancels: boolean
}

/** Sends the batch, and resolves with its creation once it has ended. */
export async function batchOf(client: Client, { name, key, cancels }: KilledBatch) {
  const created = await client.batch(mixedFiles(name), {}, key)
  if (created.status !== 200) return created
  const { batch_id: id } = created.body.data
  if (cancels) await client.request('PUT', `/v1/batches/${id}/state`)
  await endedBatch(client, id)
  return created
}

/** Makes a batch that dies after its n-th point; answers whether there was such a point. */
export async function batchDies(killable: Killable, n: number, batch: KilledBatch): Promise<boolean> {
  const doomed = await killable.doom(n, 'after')
  return diesOf(doomed, batchOf(doomed.client, batch))
}

/** What must hold of it under the next server. */
export const expectRecovery = (killable: Killable, { name, key, cancels }: KilledBatch): Promise<void> =>
  killable.revive(async (client) => {
    const total = async () =>
      (await client.request('GET', '/v1/batches?page_size=1')).body.data.pagination.total_items
    const before = await total()
    // The client never heard: it asks again with the same key, and has its batch, once.
    const { status, headers, body } = await client.batch(mixedFiles(name), {}, key)
    expect(status, JSON.stringify(body)).toBe(200)
    expect(headers.get('idempotency-replayed')).toBe((await total()) === before ? 'true' : null)
    if (cancels) await client.request('PUT', `/v1/batches/${body.data.batch_id}/state`)
    const ended = await endedBatch(client, body.data.batch_id)
    expectWholeBatch(
      ended,
      mixedFiles(name).map(({ filename }) => filename),
    )
    if (!cancels) expect(statusesOf(ended.results)).toEqual(MIXED_ENDS)
    await expectBooksToBalance(client)
    // A file goes once its job was refunded: of a cancelled batch that may be seen before.
    await expect.poll(() => readdir(join(killable.folder, 'staging')), { timeout: 60_000 }).toEqual([])
  })

/** A batch that dies after its n-th point, and what is left of it; answers whether there was such a point. */
export async function diesAndRecovers(killable: Killable, n: number, cancels: boolean): Promise<boolean> {
  const name = `${cancels ? 'cancelled' : 'run'}-${n}`
  const batch = { name, key: { 'idempotency-key': name }, cancels }
  const died = await batchDies(killable, n, batch)
  if (died) await expectRecovery(killable, batch)
  return died
}
