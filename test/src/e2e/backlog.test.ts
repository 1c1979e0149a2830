import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { gate } from '../contract/port-faults.ts'
import { note, openService, type OpenService } from '../contract/served.ts'
import { batchWhere, endedBatch, nano, resultsOf, statusesOf } from '../harness/batches.ts'
import { balanceOf } from '../faults/killable.ts'
import type { Client } from '../harness/client.ts'
import { expectStatus } from '../harness/expect-status.ts'

/** They are asked again and again how far they are. */
const MEDIALOG_RATE_LIMITS = 'free=100000'

let service: OpenService
beforeAll(async () => void (service = await openService({ MEDIALOG_RATE_LIMITS })))
afterAll(() => service.close())

const files = (count: number) =>
  Array.from({ length: count }, (_, index) => ({ filename: `${index}.txt`, bytes: note() }))
const staged = () => readdir(join(service.folder, 'staging'))

test('so many batches may wait as the tier allows; one more is refused, and taken once there is room', async () => {
  const { client } = await service.openAccount(1, 'free')
  const { client: other } = await service.openAccount(1, 'free')
  const known = { filename: 'known.txt', bytes: note() }
  await client.upload(known.filename, known.bytes)
  const held = gate()
  const ids: string[] = []
  const [sixth] = files(1)
  await service.faults.during('understanding.understand', held.pass, async () => {
    for (let batch = 0; batch < 5; batch++) {
      const { status, body } = await client.batch(files(1))
      expect(status, JSON.stringify(body)).toBe(200)
      ids.push(body.data.batch_id)
    }
    const before = [await balanceOf(client), await staged()]
    for (const key of [{}, { 'idempotency-key': 'the-sixth' }] as Record<string, string>[]) {
      const { status, headers, body } = await client.batch([sixth!], {}, key)
      expect([status, body.error.code]).toEqual([429, 'rate_limit_exceeded'])
      expect(body.error.details).toMatchObject({ open_batches: 5, most_batches: 5, most_bytes: 250_000_000 })
      expect(headers.get('retry-after')).toBe(String(body.error.details.retry_after_seconds))
    }
    expect([await balanceOf(client), await staged()]).toEqual(before)
    expect((await client.request('GET', '/v1/batches')).body.data.pagination.total_items).toBe(5)

    // What is stored already waits for nothing.
    const duplicates = await client.batch([known])
    expect((await endedBatch(client, duplicates.body.data.batch_id)).batch.progress.skipped).toBe(1)
    expectStatus(await other.batch(files(1)), 200)
    held.open()
    for (const id of ids) await endedBatch(client, id)
  })
  const { status, headers, body } = await client.batch([sixth!], {}, { 'idempotency-key': 'the-sixth' })
  expect([status, headers.get('idempotency-replayed')]).toEqual([200, null])
  expect(statusesOf((await endedBatch(client, body.data.batch_id)).results)).toEqual(['succeeded'])
  expect(await balanceOf(client)).toBe(nano(1 - 7 * 0.04))
})

test('a single file of one account is done long before the hundred that another sent first', async () => {
  const { client: busy } = await service.openAccount(10)
  const { client } = await service.openAccount(1)
  const held = gate()
  const ids: string[] = []
  let single = ''
  await service.faults.during('understanding.understand', held.pass, async () => {
    for (let batch = 0; batch < 4; batch++) ids.push((await busy.batch(files(25))).body.data.batch_id)
    await held.reached
    single = (await client.batch(files(1))).body.data.batch_id
    await batchWhere(client, single, ({ status }) => status === 'running')
    held.open()
    await endedBatch(client, single)
  })
  for (const id of ids) await busy.request('PUT', `/v1/batches/${id}/state`)
  const [doneAt] = await timesOf(client, single)
  const others = (await Promise.all(ids.map((id) => timesOf(busy, id)))).flat()
  // Four were under way, and each may have been followed by some more until it was done.
  expect(others.filter((at) => at < doneAt!).length).toBeLessThan(50)
})

/** When each of the jobs that succeeded did. */
async function timesOf(client: Client, id: string): Promise<number[]> {
  const jobs: { status: string; processing_info: { completed_at: string } }[] = (await resultsOf(client, id))
    .job_results
  return jobs
    .filter(({ status }) => status === 'succeeded')
    .map(({ processing_info: { completed_at: at } }) => Date.parse(at))
}

test('where processing is free, a batch is held to the quota as an upload is, and ends like any other', async () => {
  const MEDIALOG_PRICES = 'DOCUMENT_PROCESSING=0,VECTOR_PROCESSING=0'
  const free = await openService({ MEDIALOG_RATE_LIMITS, MEDIALOG_PRICES })
  try {
    const { client } = await free.openAccount(0, 'free')
    const full = async () => ({ vectors: 10_000, bytes: 0 })
    const refused = await free.faults.during('catalog.storage', full, () => client.batch(files(1)))
    expect([refused.status, refused.body.error.code]).toEqual([403, 'quota_exceeded'])
    expect(await readdir(join(free.folder, 'staging'))).toEqual([])
    const { body } = await client.batch([...files(1), { filename: 'broken.pdf', bytes: '%PDF-1.7 no more' }])
    const ended = await batchWhere(client, body.data.batch_id, ({ status }) => status === 'completed')
    expect(ended).toMatchObject({
      progress: { successful: 1, failed: 1 },
      cost: { charged: 0, refunded: 0, net: 0 },
    })
  } finally {
    await free.close()
  }
})

test('no account may store more than can be searched, whatever its tier allows', async () => {
  const limited = await openService({}, (engines) => ({
    ...engines,
    search: { ...engines.search, mostVectors: () => 4 },
  }))
  try {
    const { client } = await limited.openAccount(1, 'enterprise')
    expectStatus(await client.upload('a.txt', note()), 200)
    const refused = await client.upload('b.txt', note())
    expect([refused.status, refused.body.error.code, refused.body.error.details.quota_limit]).toEqual([
      403,
      'QUOTA_EXCEEDED',
      4,
    ])
    const { body } = await client.request('GET', '/v1/usage')
    expect(body.data.storage_usage.total).toMatchObject({ quota_limit: 100_000_000, vectors: 4 })
  } finally {
    await limited.close()
  }
})
