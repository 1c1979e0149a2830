import { describe, expect, test } from 'vitest'
import { nano } from '../harness/batches.ts'
import { balanceOf } from '../faults/killable.ts'
import { testOneLife } from './suites/one-life.ts'
import { useServer } from '../harness/suite.ts'
import { expectStatus } from '../harness/expect-status.ts'

const FIXTURES = new URL('../../fixtures/', import.meta.url).pathname

const server = useServer()

testOneLife(server)
const balance = (): Promise<number> => balanceOf(server.client)

describe('a file of each media type goes in, and its facts come out', () => {
  // Every format: ../../formats.
  test.each([
    ['documents/sample.pdf', 'document', 'doc', { page_count: 2 }],
    ['images/sample.jpg', 'image', 'img', { dimensions: { width: 640, height: 400 }, color_mode: 'RGB' }],
    ['audio/sample.mp3', 'audio', 'aud', { sample_rate: 44_100, channels: 2 }],
    ['video/sample.mp4', 'video', 'vid', { resolution: '320x180', frame_rate: 25 }],
    ['3d/sample.glb', 'model', 'mdl', { vertex_count: 8, material_count: 2 }],
  ])('%s', async (path, mediaType, prefix, facts) => {
    const before = await balance()
    const { status, body } = await server.client.uploadFile(FIXTURES + path)
    expect(status, JSON.stringify(body)).toBe(200)
    expect(body).toMatchObject({ success: true, metadata: { cost: 0.04, collection: 'default' } })
    expect(body.data).toMatchObject({ media_type: mediaType, status: 'completed', file_details: facts })
    expect(body.data.media_id).toMatch(new RegExp(`^${prefix}_[0-9a-f-]{36}$`))
    expect(body.data.content_summary.summary).not.toBe('')
    expect(nano(body.data.balance_info.new_balance)).toBe(before - nano(0.04))
    // What was answered is what is read, at once.
    const read = await server.client.request(
      'GET',
      `/v1/media/${body.data.media_id}?include_vectors=true&include_chunks=true`,
    )
    expect(read.body.data, JSON.stringify(read.body)).toMatchObject({
      media_type: mediaType,
      file_info: { checksum: body.data.file_details.checksum, ...facts },
      metadata: { search: { summary: body.data.content_summary.summary } },
    })
    expect(read.body.data.vectors.combined).toHaveLength(384)
    const length = Math.hypot(...read.body.data.vectors.combined)
    expect(length).toBeCloseTo(1, 4)
  })
})

test('the same bytes may come back after a deletion, and a whole collection goes at once', async () => {
  const upload = () =>
    server.client.upload('again.txt', 'Bytes that come, go and come back.', {
      collection_id: 'short-lived',
    })
  const { body } = await upload()
  expectStatus(await server.client.request('DELETE', `/v1/media/${body.data.media_id}`), 200)
  const back = await upload()
  expect([back.status, back.body.data.media_id]).toEqual([200, body.data.media_id])

  const ended = await server.client.request('DELETE', '/v1/media/collections/short-lived')
  expect(ended.body.data, JSON.stringify(ended.body)).toMatchObject({
    collection_id: 'short-lived',
    deleted_items: 1,
  })
  expect(ended.body.data.storage_info.deleted_vectors.ld).toBe(1)
  expectStatus(await server.client.request('GET', `/v1/media/${body.data.media_id}`), 404)
  expectStatus(await server.client.request('DELETE', '/v1/media/collections/short-lived'), 404)
  // Before the eraser has come to it, too.
  const third = await upload()
  expect([third.status, third.body.data.media_id]).toEqual([200, body.data.media_id])
  expect(
    (await server.client.request('GET', '/v1/media/collections/short-lived')).body.data.stats.item_count,
  ).toBe(1)
})

test('an item that is overwritten goes where the request says, and stays where it is without that', async () => {
  const { client } = await server.openAccount(1)
  const placeAfter = async (fields: Record<string, string>) => {
    const { body } = await client.upload('moved.txt', 'It is overwritten again and again.', fields)
    return (await client.request('GET', `/v1/media/${body.data.media_id}`)).body.data.collection
  }
  expect(await placeAfter({ collection_id: 'spring' })).toBe('spring')
  expect(await placeAfter({ force_overwrite: 'true', collection_id: 'autumn' })).toBe('autumn')
  expect(await placeAfter({ force_overwrite: 'true' })).toBe('autumn')
  expect(await placeAfter({ force_overwrite: 'true', collection_id: 'default' })).toBe('default')
})

test('collections are listed with how much they hold, default first', async () => {
  const { client } = await server.openAccount(1)
  await client.upload('b.txt', 'Kept in the default collection.')
  for (const name of ['a.txt', 'c.txt'])
    await client.upload(name, `Kept among the tides: ${name}.`, { collection_id: 'tides' })
  const { body } = await client.request('GET', '/v1/media/collections')
  expect(body.data).toMatchObject({
    collections: ['default', 'tides'],
    collection_details: { default: { item_count: 1 }, tides: { item_count: 2 } },
    total_collections: 2,
  })
})

test('the default collection stays, also an empty one', async () => {
  const { client } = await server.openAccount(1)
  const { status, body } = await client.request('DELETE', '/v1/media/collections/default?receipt=true')
  expect([status, body.error?.code]).toEqual([400, 'CANNOT_DELETE_DEFAULT'])
})

test('an Idempotency-Key answers a repeat with the first answer and charges once', async () => {
  const before = await balance()
  const key = { 'idempotency-key': 'upload-1' }
  const send = (fields: Record<string, string> = {}) =>
    server.client.upload('once.txt', 'Charged once, however often it is sent.', fields, key)
  const first = await send()
  const again = await send({ force_overwrite: 'false', collection_id: 'default' })
  expectStatus(again, 200)
  expect(again.headers.get('idempotency-replayed')).toBe('true')
  expect(again.body.data).toEqual(first.body.data)
  expect(await balance()).toBe(before - nano(0.04))
  const other = await server.client.upload('other.txt', 'Another file under the same key.', {}, key)
  for (const { status, body } of [
    other,
    await send({ force_overwrite: 'true' }),
    await send({ collection_id: 'elsewhere' }),
  ])
    expect([status, body.error?.code]).toEqual([422, 'IDEMPOTENCY_KEY_REUSED'])
  await server.client.request('DELETE', `/v1/media/${first.body.data.media_id}`)
  const gone = await send()
  expect([gone.status, gone.body.error.code]).toEqual([410, 'GONE'])
})

test('two accounts with the same file know nothing of each other', async () => {
  const { client: other } = await server.openAccount(1)
  const text = 'A text that two accounts hold, about the lighthouse of Akranes.'
  const [mine, theirs] = [
    await server.client.upload('lighthouse.txt', text),
    await other.upload('lighthouse.txt', text),
  ]
  expect([mine.status, theirs.status]).toEqual([200, 200])
  expect(mine.body.data.media_id).not.toBe(theirs.body.data.media_id)
  for (const method of ['GET', 'DELETE'])
    expectStatus(await other.request(method, `/v1/media/${mine.body.data.media_id}`), 404)
  const list = await other.request('GET', '/v1/media')
  expect(list.body.data.pagination.total_items).toBe(1)
  const search = async () =>
    (await other.request('POST', '/v1/search', { json: { query: 'lighthouse', collections: 'all' } })).body
      .data
  const before = await search()
  for (const n of [1, 2, 3])
    await server.client.upload(`noise-${n}.txt`, `More about the lighthouse, volume ${n}.`)
  const after = await search()
  expect(after.results[0].score).toBe(before.results[0].score)
  expect(after.meta.stats.total_results).toBe(1)
  const { lexical, semantic, lexical_weight } = before.results[0].score_parts
  expect(before.results[0].score).toBeCloseTo(lexical_weight * lexical + (1 - lexical_weight) * semantic, 6)
})
