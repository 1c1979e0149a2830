import { readFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test, vi } from 'vitest'
import {
  batchWhere,
  endedBatch,
  expectWholeBatch,
  nano,
  readBatch,
  resultsOf,
  statusesOf,
} from '../harness/batches.ts'
import { balanceOf } from '../faults/killable.ts'
import type { Client } from '../harness/client.ts'
import { useServer } from '../harness/suite.ts'

vi.setConfig({ testTimeout: 120_000 })

const FIXTURES = new URL('../../fixtures/', import.meta.url).pathname
/** How often each race is run. */
const UPLOAD_RACES = 5
const CANCEL_RACES = 40

let made = 0
/** A small file whose content no other has. */
const note = (filename = `note-${++made}.txt`) => ({
  filename,
  bytes: `Note number ${++made}: the ferry to Grímsey leaves in the morning.`,
})
const items = async (client: Client): Promise<number> =>
  (await client.request('GET', '/v1/media')).body.data.pagination.total_items

const server = useServer()

/** A file goes once its job has ended: that may be seen before. */
const expectNothingStaged = () =>
  vi.waitFor(async () => expect(await server.staged()).toEqual([]), { timeout: 60_000, interval: 50 })

test('from files of every kind to their results and the bill', async () => {
  const { client } = await server.openAccount(1)
  const known = note('known.txt')
  const { body: first } = await client.upload(known.filename, known.bytes)
  const files = [
    { filename: 'a.pdf', bytes: await readFile(`${FIXTURES}documents/sample.pdf`) },
    { filename: 'b.png', bytes: await readFile(`${FIXTURES}images/sample.png`) },
    { filename: 'c.mp3', bytes: await readFile(`${FIXTURES}audio/sample.mp3`) },
    { filename: 'd.glb', bytes: await readFile(`${FIXTURES}3d/sample.glb`) },
    { ...known, filename: 'known-under-another-name.txt' },
    { filename: 'locked.pdf', bytes: await readFile(`${FIXTURES}hostile/encrypted_user.pdf`) },
    { filename: 'a-again.pdf', bytes: await readFile(`${FIXTURES}documents/sample.pdf`) },
  ]
  const { status, body } = await client.batch(files, {
    batch_options: '{"batch_name": "Autumn", "collection_id": "overridden"}',
    collection_id: 'autumn',
  })
  expect(status, JSON.stringify(body)).toBe(200)
  // One duplicate was known: six files are charged.
  expect(body.data).toMatchObject({
    status: 'created',
    total_items: 7,
    collection: 'autumn',
    cost_estimate: {
      total: 0.24,
      breakdown: {
        processing: { document: 0.09, image: 0.03, audio: 0.03, model: 0.03, video: 0 },
        storage: 0.06,
      },
    },
    settings: { force_overwrite: false, collection_id: 'autumn', media_count: 7 },
  })
  expect(body.data.estimated_completion_seconds).toBeGreaterThan(0)
  expect(body.metadata.media_types).toEqual({ document: 4, image: 1, audio: 1, model: 1 })

  const ended = await endedBatch(client, body.data.batch_id)
  expectWholeBatch(
    ended,
    files.map(({ filename }) => filename),
  )
  const { batch, results } = ended
  expect(batch).toMatchObject({
    batch_name: 'Autumn',
    status: 'completed',
    collection: 'autumn',
    total_items: 7,
    progress: { successful: 4, skipped: 2, failed: 1, pending: 0, processing: 0, percent: 100 },
    cost: { charged: 0.24, refunded: 0.08, net: 0.16 },
    estimated_completion: null,
  })
  expect(statusesOf(results)).toEqual([
    'succeeded',
    'succeeded',
    'succeeded',
    'succeeded',
    'processed',
    'corrupted_file',
    'processed',
  ])
  expect(results.job_results[4].media_id).toBe(first.data.media_id.replace('doc_', 'vec-'))
  expect(results.job_results[6].media_id).toBe(results.job_results[0].media_id)
  expect(results.batch_summary.completion).toEqual({
    successful: 6,
    failed: 1,
    total_items: 7,
    completion_rate: 100,
  })
  expect(results.statistics.error_summary).toMatchObject([
    { error_type: 'corrupted_file', count: 1, affected_files: ['locked.pdf'] },
  ])
  expect(Object.keys(results.statistics.media_distribution.media_ids_by_type).sort()).toEqual([
    'audio',
    'document',
    'image',
    'model',
  ])
  expect(await balanceOf(client)).toBe(nano(1 - 0.04 - 0.16))
  expect(
    (await client.request('GET', '/v1/media/collections/autumn')).body.data.stats.media_type_distribution,
  ).toEqual({ document: 1, image: 1, audio: 1, model: 1 })
  const read = await client.request('GET', `/v1/media/${results.job_results[1].media_id}`)
  expect(read.body.data).toMatchObject({ media_type: 'image', collection: 'autumn' })

  const page = await client.request('GET', `/v1/batches/${body.data.batch_id}/results?page=3&page_size=3`)
  expect(page.body.data.job_results).toHaveLength(1)
  expect(page.body.data.pagination).toEqual({ page: 3, page_size: 3, total_items: 7, total_pages: 3 })
  // The batch's history outlives its items.
  await client.request('DELETE', `/v1/media/${results.job_results[0].media_id}`)
  expect((await resultsOf(client, body.data.batch_id)).job_results[0].filename).toBe('a.pdf')
  await expectNothingStaged()
})

test('with force_overwrite what is stored is processed again, once for each content', async () => {
  const { client } = await server.openAccount(1)
  const file = note()
  await client.upload(file.filename, file.bytes, { collection_id: 'kept' })
  const { body } = await client.batch([file, { ...file, filename: 'twin.txt' }], {
    batch_options: '{"force_overwrite": true}',
  })
  expect(body.data.settings).toMatchObject({ force_overwrite: true, collection_id: 'default' })
  const { results } = await endedBatch(client, body.data.batch_id)
  expect(statusesOf(results)).toEqual(['succeeded', 'processed'])
  expect(await balanceOf(client)).toBe(nano(1 - 0.08))
  const [item] = (await client.request('GET', '/v1/media')).body.data.items
  expect([item.collection, await items(client)]).toEqual(['kept', 1])
})

test('a batch of duplicates costs nothing; one of broken files has failed and costs nothing', async () => {
  const { client } = await server.openAccount(0.04)
  const file = note()
  await client.upload(file.filename, file.bytes)
  const { body: free } = await client.batch([file, { ...file, filename: 'b.txt' }])
  expect(free.data.cost_estimate.total).toBe(0)
  expect((await endedBatch(client, free.data.batch_id)).batch).toMatchObject({
    status: 'completed',
    cost: { charged: 0, refunded: 0, net: 0 },
    progress: { successful: 0, skipped: 2 },
  })
  const { client: other } = await server.openAccount(1)
  const { body: broken } = await other.batch([{ filename: 'a.pdf', bytes: '%PDF-1.7 and no more' }])
  expect((await endedBatch(other, broken.data.batch_id)).batch).toMatchObject({
    status: 'failed',
    cost: { charged: 0.04, refunded: 0.04, net: 0 },
  })
  expect(await balanceOf(other)).toBe(nano(1))
})

describe('a refused creation leaves nothing', () => {
  test('too little money: 403 with the three amounts', async () => {
    const { client } = await server.openAccount(0.1)
    const { status, body } = await client.batch([note(), note(), note()])
    expect([status, body.error.code]).toEqual([403, 'insufficient_funds'])
    expect(body.error.details).toMatchObject({
      required_amount: 0.12,
      current_balance: 0.1,
      shortfall: 0.02,
    })
    expect((await client.request('GET', '/v1/batches')).body.data.batches).toEqual([])
    expect([await balanceOf(client), await items(client)]).toEqual([nano(0.1), 0])
    await expectNothingStaged()
  })

  test('of batches at the same moment only those are created that can be paid', async () => {
    const { client } = await server.openAccount(0.16)
    const answers = await Promise.all(Array.from({ length: 6 }, () => client.batch([note(), note()])))
    const statuses = answers.map(({ status }) => status).sort((a, b) => a - b)
    expect(statuses).toEqual([200, 200, 403, 403, 403, 403])
    const { batches, pagination } = (await client.request('GET', '/v1/batches')).body.data
    expect(pagination.total_items).toBe(2)
    for (const { batch_id: id } of batches) await endedBatch(client, id)
    expect([await balanceOf(client), await items(client)]).toEqual([0, 4])
    await expectNothingStaged()
  })

  test('files that cannot be processed: 400 that names each', async () => {
    const { client } = await server.openAccount(1)
    const { status, body } = await client.batch([
      note(),
      { filename: 'program.exe', bytes: 'MZ\u0000\u0001' },
      { filename: 'large.txt', bytes: 'x'.repeat(20_000_001) },
      note(),
    ])
    expect([status, body.error.code]).toEqual([400, 'invalid_media'])
    expect(body.error.details.files.map(({ filename }: { filename: string }) => filename)).toEqual([
      'program.exe',
      'large.txt',
    ])
    expect(await balanceOf(client)).toBe(nano(1))
    await expectNothingStaged()
  })
})

test('an Idempotency-Key makes one batch', async () => {
  const { client } = await server.openAccount(1)
  const files = [note(), note()]
  const key = { 'idempotency-key': 'batch-1' }
  const first = await client.batch(files, {}, key)
  const again = await client.batch(files, {}, key)
  expect(again.headers.get('idempotency-replayed')).toBe('true')
  expect(again.body).toEqual(first.body)
  const other = await client.batch([files[0]!], {}, key)
  expect([other.status, other.body.error.code]).toEqual([422, 'idempotency_key_reused'])
  await endedBatch(client, first.body.data.batch_id)
  expect([await balanceOf(client), await items(client)]).toEqual([nano(1 - 0.08), 2])
  await expectNothingStaged()
})

test('another account sees nothing of it', async () => {
  const { client } = await server.openAccount(1)
  const { client: other } = await server.openAccount(1)
  const { body } = await client.batch([note()])
  const path = `/v1/batches/${body.data.batch_id}`
  for (const [method, at] of [
    ['GET', path],
    ['GET', `${path}/results`],
    ['PUT', `${path}/state`],
  ] as const) {
    const { status, body: refused } = await other.request(method, at)
    expect(refused).toMatchObject({ success: false, code: 'not_found', status_code: 404 })
    expect(status).toBe(404)
  }
  expect((await other.request('GET', '/v1/batches')).body.data.batches).toEqual([])
  expect((await endedBatch(client, body.data.batch_id)).batch.status).toBe('completed')
})

test('a single upload of the same content at the same moment: one of both has it, the other pays nothing', async () => {
  const { client } = await server.openAccount(10)
  for (let round = 0; round < UPLOAD_RACES; round++) {
    const before = await balanceOf(client)
    const file = note()
    const [uploaded, created] = await Promise.all([
      client.upload('single.txt', file.bytes),
      client.batch([file, note()]),
    ])
    const { results } = await endedBatch(client, created.body.data.batch_id)
    const [outcome] = statusesOf(results)
    expect([uploaded.status, outcome]).toEqual(
      uploaded.status === 200 ? [200, 'processed'] : [409, 'succeeded'],
    )
    expect(await balanceOf(client)).toBe(before - nano(0.08))
  }
})

describe('cancelling', () => {
  test('stops what is not done, refunds it, and keeps what is', async () => {
    const { client } = await server.openAccount(2)
    const files = Array.from({ length: 25 }, () => note())
    const { body } = await client.batch(files)
    const id: string = body.data.batch_id
    await batchWhere(client, id, ({ progress }) => progress.successful > 0)
    const cancelled = await client.request('PUT', `/v1/batches/${id}/state`, {
      json: { state: 'cancelled' },
    })
    expect(cancelled.body.data).toMatchObject({
      batch_id: id,
      previous_state: 'running',
      current_state: 'cancelled',
    })
    const ended = await endedBatch(client, id)
    expectWholeBatch(
      ended,
      files.map(({ filename }) => filename),
    )
    expect(ended.batch.status).toBe('cancelled')
    expect(new Set(statusesOf(ended.results))).toEqual(new Set(['succeeded', 'cancelled']))
    const { successful } = ended.batch.progress
    expect(await items(client)).toBe(successful)
    expect(await balanceOf(client)).toBe(nano(2) - successful * nano(0.04))
    await expectNothingStaged()
    const again = await client.request('PUT', `/v1/batches/${id}/state`)
    expect(again.body.data).toMatchObject({ previous_state: 'cancelled', current_state: 'cancelled' })
    // The same files may be sent again: those that were stopped are processed now.
    const { body: second } = await client.batch(files)
    const { batch } = await endedBatch(client, second.data.batch_id)
    expect(batch.progress).toMatchObject({ successful: 25 - successful, skipped: successful })
  })

  test('against the end of the last job: decided once, and the money follows, many times', async () => {
    const { client } = await server.openAccount(10)
    const states = new Set<string>()
    let stored = 0
    for (let round = 0; round < CANCEL_RACES; round++) {
      const { body } = await client.batch([note(), note()])
      const id: string = body.data.batch_id
      // Closer and closer to the end, and beyond it: by what the batch says of itself, then by a moment more.
      if (round % 4 > 0) await batchWhere(client, id, ({ progress }) => progress.percent >= 50)
      await sleep(round % 7)
      const { body: cancelled } = await client.request('PUT', `/v1/batches/${id}/state`)
      const ended = await endedBatch(client, id)
      expectWholeBatch(
        ended,
        ended.results.job_results.map(({ filename }: { filename: string }) => filename),
      )
      expect(ended.batch.status).toBe(cancelled.data.current_state)
      expect((await readBatch(client, id)).status).toBe(ended.batch.status)
      if (ended.batch.status === 'completed') expect(ended.batch.progress.successful).toBe(2)
      states.add(ended.batch.status)
      stored += ended.batch.progress.successful
    }
    expect(states).toContain('cancelled')
    expect(await items(client)).toBe(stored)
    expect(await balanceOf(client)).toBe(nano(10) - stored * nano(0.04))
    await expectNothingStaged()
  })
})
