import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { endedBatch, expectWholeBatch, statusesOf } from '../harness/batches.ts'
import type { Client } from '../harness/client.ts'
import { diesOf, expectBooksToBalance, useKillable, walk } from './killable.ts'

/** More points than a batch has: the walk ends where one gets through. */
const MOST_POINTS = 90
const killable = useKillable()

/** One that is stored, one broken, one a duplicate of the first. */
const filesOf = (name: string) => {
  const text = `What was written down for ${name}, somewhere near Ísafjörður.`
  return [
    { filename: `${name}.txt`, bytes: text },
    { filename: `${name}.pdf`, bytes: `%PDF-1.7 ${name}` },
    { filename: `${name}-twin.txt`, bytes: text },
  ]
}

interface Walk {
  name: string
  key: Record<string, string>
  cancels: boolean
}

/** Sends the batch, and resolves with its creation once it has ended. */
async function batchOf(client: Client, { name, key, cancels }: Walk) {
  const created = await client.batch(filesOf(name), {}, key)
  if (created.status !== 200) return created
  const { batch_id: id } = created.body.data
  if (cancels) await client.request('PUT', `/v1/batches/${id}/state`)
  await endedBatch(client, id)
  return created
}

/** Makes a batch that dies after its n-th point; answers whether there was such a point. */
async function dies(n: number, walk: Walk): Promise<boolean> {
  const doomed = await killable.doom(n, 'after')
  return diesOf(doomed, batchOf(doomed.client, walk))
}

const expectRecovery = ({ name, key, cancels }: Walk): Promise<void> =>
  killable.revive(async (client) => {
    const total = async () =>
      (await client.request('GET', '/v1/batches?page_size=1')).body.data.pagination.total_items
    const before = await total()
    // The client never heard: it asks again with the same key, and has its batch, once.
    const { status, headers, body } = await client.batch(filesOf(name), {}, key)
    expect(status, JSON.stringify(body)).toBe(200)
    expect(headers.get('idempotency-replayed')).toBe((await total()) === before ? 'true' : null)
    if (cancels) await client.request('PUT', `/v1/batches/${body.data.batch_id}/state`)
    const ended = await endedBatch(client, body.data.batch_id)
    expectWholeBatch(
      ended,
      filesOf(name).map(({ filename }) => filename),
    )
    if (!cancels) expect(statusesOf(ended.results)).toEqual(['succeeded', 'corrupted_file', 'processed'])
    await expectBooksToBalance(client)
    expect(await readdir(join(killable.folder, 'staging'))).toEqual([])
  })

describe.each([
  ['that runs', false, 1],
  // Most of its points are those of a batch that runs.
  ['that is cancelled', true, 3],
])('kill -9 after the awaited points of a batch %s', (kind, cancels, stride) => {
  test(
    'leaves it to go on, or as if it had never been sent',
    async () => {
      const diesAndRecovers = async (n: number): Promise<boolean> => {
        const name = `${cancels ? 'cancelled' : 'run'}-${n}`
        const walk = { name, key: { 'idempotency-key': name }, cancels }
        const died = await dies(n, walk)
        if (died) await expectRecovery(walk)
        return died
      }
      // Files staged, request, intent, charge, created, started, claims, artifacts, records, ends, refunds, …
      expect(await walk(diesAndRecovers, { most: MOST_POINTS, stride }), kind).toBeGreaterThanOrEqual(12)
    },
    90 * 60_000,
  )
})

test(
  'a second kill -9, while the first is recovered from, changes nothing',
  async () => {
    for (const again of [1, 2, 3, 5, 8, 13, 21]) {
      const name = `twice-${again}`
      const walk = { name, key: { 'idempotency-key': name }, cancels: false }
      expect(await dies(15, walk)).toBe(true)
      const second = await killable.doom(again, 'after', { fromStart: true }).catch(() => null)
      // It died before it was ready, or dies while the batch goes on.
      if (second) {
        await batchOf(second.client, walk).catch(() => undefined)
        await second.server.kill()
      }
      await expectRecovery(walk)
    }
  },
  30 * 60_000,
)
