import type { ListedMediaItem } from '@medialog/contract/http'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { z } from 'zod'
import { refusal, startEdge, success, type Edge } from '../testing/edge.ts'
import { catalogItem, idOfItem } from '../testing/fixtures.ts'

type ListedItem = z.output<typeof ListedMediaItem>

let edge: Edge
beforeAll(async () => {
  edge = await startEdge()
})
afterAll(() => edge[Symbol.asyncDispose]())

const first = idOfItem(catalogItem(1))

describe('GET /v1/media', () => {
  it('lists a page with what the specification names', async () => {
    const { data } = await success(await edge.fetch('/v1/media?page=2&page_size=2'), 'listMedia')
    expect(data.items.map((item) => item.id)).toEqual([idOfItem(catalogItem(3))])
    expect(data.pagination).toEqual({
      page: 2,
      page_size: 2,
      total_items: 3,
      total_pages: 2,
      has_next: false,
    })
    const [listed] = data.items as ListedItem[]
    expect(Object.keys(listed!.file_info).sort()).toEqual([
      'checksum',
      'filename',
      'page_count',
      'size_bytes',
    ])
  })

  it('goes on behind the last item of a page', async () => {
    const page = async (query: string) =>
      (await success(await edge.fetch(`/v1/media?page_size=2${query}`), 'listMedia')).data
    const { pagination, items } = await page('')
    expect(pagination).toMatchObject({
      has_next: true,
      next: `${catalogItem(2).createdAt}_${catalogItem(2).mediaId}`,
    })
    const behind = await page(`&after=${pagination.next}`)
    expect([...items, ...behind.items].map((item) => item.id)).toEqual(
      [1, 2, 3].map((n) => idOfItem(catalogItem(n))),
    )
    expect(behind.pagination).toEqual({
      page: 1,
      page_size: 2,
      total_items: 3,
      total_pages: 2,
      has_next: false,
    })
  })

  it('names the filters it applied, and gives vectors on demand', async () => {
    const { data } = await success(
      await edge.fetch('/v1/media?media_type=document&collection=reports&include_vectors=TRUE'),
      'listMedia',
    )
    expect(data.filters).toEqual({
      applied: { media_type: 'document', collection: 'reports' },
      total_matching: 3,
    })
    const [listed] = data.items as ListedItem[]
    expect(listed!.vectors).toEqual({ combined: [0.5, 0.5, 0.5, 0.5], dimensions: 4, model: 'test' })
  })

  it.each([
    ['page=0', 'page', "page must be a positive integer, got '0'"],
    ['page=abc', 'page', "page must be a positive integer, got 'abc'"],
    ['page=-1', 'page', "page must be a positive integer, got '-1'"],
    ['page=1.5', 'page', "page must be a positive integer, got '1.5'"],
    ['page=', 'page', "page must be a positive integer, got ''"],
    ['page=10000000000', 'page', "page must be at most 1000000000, got '10000000000'"],
    ['after=1', 'after', "after must be the `next` of another page, got '1'"],
    [
      `after=1_${catalogItem(1).mediaId}&page=2`,
      'after',
      'after cannot be given together with page or as_of',
    ],
    ['page_size=0', 'page_size', "page_size must be an integer from 1 to 100, got '0'"],
    ['page_size=101', 'page_size', "page_size must be at most 100, got '101'"],
    [
      'media_type=pdf',
      'media_type',
      "media_type must be one of document, image, video, audio, model, got 'pdf'",
    ],
    ['include_vectors=yes', 'include_vectors', "include_vectors must be true, false, 1 or 0, got 'yes'"],
    ['pages=1', 'pages', 'pages is not a known parameter: did you mean page?'],
    ['colour=red', 'colour', 'colour is not a known parameter'],
    ['page=1&page=2', 'page', 'page is given twice'],
    ['__proto__=1', '__proto__', '__proto__ is not a known parameter'],
    ['as_of=yesterday', 'as_of', "as_of must be an ISO 8601 date or time, got 'yesterday'"],
    [
      'as_of=2026-11-20&include_vectors=1',
      'include_vectors',
      'include_vectors cannot be given together with as_of: vectors of the past are not kept, got true',
    ],
    ['page=%00', 'page', 'page must not contain NUL characters'],
  ])('refuses ?%s', async (query, parameter, message) => {
    const refused = await refusal(await edge.fetch(`/v1/media?${query}`))
    expect(refused).toMatchObject({ status: 400, code: 'INVALID_PARAMETER', message, details: { parameter } })
    expect(refused.details.reason).toBe(message.split(', got')[0]!.slice(parameter.length + 1))
    expect(refused.details.request_id).toMatch(/^req_/)
  })

  it('lists what was stored at a moment, as far as that may be known', async () => {
    const { data } = await success(
      await edge.fetch('/v1/media?as_of=2026-11-20T00:00:00Z&media_type=document'),
      'listMedia',
    )
    expect(data).toMatchObject({ as_of: '2026-11-20T00:00:00.000Z', undated: 2 })
    expect(data.filters).toEqual({ applied: { media_type: 'document' }, total_matching: 4 })
    const [stored, changed, hardlyKnown, erased] = data.items
    expect(stored).toMatchObject({ id: first, collection: 'default', file_info: { page_count: 3 } })
    expect(changed).toEqual({
      ...hardlyKnown,
      collection: 'reports',
      status: {
        state: 'completed',
        processing_info: { completed_at: expect.any(String), duration_ms: 3 },
      },
      file_info: { filename: 'then.pdf', size_bytes: 9, checksum: 'a'.repeat(64) },
    })
    const id = idOfItem(catalogItem(2))
    const known = { media_type: 'document', storage: { created_at: expect.any(String) } }
    expect(hardlyKnown).toEqual({ ...known, id, media_id: id, changed_since: true })
    const last = idOfItem(catalogItem(3))
    const erasedAt = '2026-11-20T00:00:00.001Z'
    expect(erased).toEqual({ ...known, id: last, media_id: last, erased: true, erased_at: erasedAt })
    const ahead = await success(await edge.fetch('/v1/media?as_of=2999-01-01'), 'listMedia')
    expect(ahead.data.as_of).toBe(ahead.timestamp)
  })

  it.each(['all', 'ALL', '-a', '.a', 'a b', 'ä', 'x'.repeat(65), ''])(
    'refuses the collection %o',
    async (collection) => {
      const refused = await refusal(
        await edge.fetch(`/v1/media?${new URLSearchParams({ collection }).toString()}`),
      )
      expect(refused).toMatchObject({
        status: 400,
        code: 'INVALID_PARAMETER',
        details: { parameter: 'collection' },
      })
    },
  )
})

describe('GET /v1/media/{media_id}', () => {
  it('reads an item without what was not asked for', async () => {
    const { data, metadata } = await success(await edge.fetch(`/v1/media/${first}`), 'readMedia')
    expect(data).toMatchObject({ id: first, media_id: first, media_type: 'document', collection: 'default' })
    expect(data.file_info).toMatchObject({ page_count: 3, word_count: 1200 })
    expect(data.metadata?.modality.structure).toEqual({
      has_figures: true,
      has_tables: true,
      page_count: 3,
      sections: [{ title: 'One', level: 1, content_type: 'heading' }],
    })
    expect(data).not.toHaveProperty('vectors')
    expect(data).not.toHaveProperty('content')
    expect(metadata).toMatchObject({ api_version: 'v1', included_vectors: false, included_chunks: false })
  })

  it('gives content, vectors and no metadata on demand, under either form of the id', async () => {
    const id = `vec-${catalogItem(1).mediaId}`
    const { data, metadata } = await success(
      await edge.fetch(`/v1/media/${id}?include_vectors=1&include_chunks=true&include_metadata=False`),
      'readMedia',
    )
    expect(data.id).toBe(first)
    expect(data.content).toEqual({ text: 'Text.', chunks: ['Head'], summary: 'A summary.' })
    expect(data.vectors?.chunks).toEqual([
      [1, 0, 0, 0],
      [0, 1, 0, 0],
    ])
    expect(data).not.toHaveProperty('metadata')
    expect(metadata).toMatchObject({ included_vectors: true, included_chunks: true })
  })

  it.each(['image', 'video', 'audio', 'model'] as const)(
    'shows the facts of an item of type %s',
    async (type) => {
      const item = catalogItem(100, { mediaType: type })
      edge.fake.items.push(item)
      const { data } = await success(await edge.fetch(`/v1/media/${idOfItem(item)}`), 'readMedia')
      edge.fake.items.pop()
      const { filename: _f, size_bytes: _s, checksum: _c, processed_at: _p, ...facts } = data.file_info
      expect(facts).toEqual(
        {
          image: { dimensions: { width: 640, height: 480 }, color_mode: 'RGB' },
          video: { duration: 12.5, resolution: '1920x1080', frame_rate: 25 },
          audio: { duration: 3.2, sample_rate: 44_100, channels: 2 },
          model: { vertex_count: 8, material_count: 1, dimensions: { x: 1, y: 2, z: 3 } },
        }[type],
      )
    },
  )

  it('shows the key frames of a video, and their pictures with its content', async () => {
    const item = catalogItem(100, { mediaType: 'video' })
    const dominantColors = [{ hex: '#C83232', name: 'red', share: 1 }]
    const { facts } = item.extraction
    if (facts.mediaType === 'video')
      facts.keyFrames = [{ time: 1.5, dominantColors, brightness: 0.3, kind: 'plain' }]
    await using other = await startEdge()
    other.application.library.read = async () => ({
      item,
      content: { text: '', chunks: [], thumbnails: [new Uint8Array([0xff, 0xd8])] },
      vectors: null,
    })
    const { data } = await success(await other.fetch(`/v1/media/${idOfItem(item)}`), 'readMedia')
    expect(data.metadata?.modality.key_frames).toEqual([
      { timestamp: 1.5, dominant_colors: dominantColors, brightness: 0.3, kind: 'plain' },
    ])
    expect(data.content?.key_frames).toEqual([{ timestamp: 1.5, thumbnail: 'data:image/jpeg;base64,/9g=' }])
  })

  it('shows what is said by its times; one that was stored before has a warning', async () => {
    const item = catalogItem(100, { mediaType: 'audio' })
    const { facts } = item.extraction
    await using other = await startEdge()
    const text = 'One. Two.\n\nThree.'
    other.application.library.read = async () => ({
      item: structuredClone(item),
      content: { text, chunks: [], thumbnails: [] },
      vectors: null,
    })
    const read = async () =>
      (await success(await other.fetch(`/v1/media/${idOfItem(item)}`), 'readMedia')).data
    const before = await read()
    expect(before.metadata?.processing.warnings).toEqual([expect.stringContaining('force_overwrite')])
    expect(before.content).not.toHaveProperty('transcript')
    const timed = (at: number) => ({ at, start: at, end: at + 1, confidence: 0.9 })
    if (facts.mediaType === 'audio')
      Object.assign(facts, {
        listened: true,
        transcribedBy: 'ears',
        segments: [timed(0), timed(5), timed(11)],
      })
    const { content, metadata } = await read()
    expect(metadata?.processing).toMatchObject({ models: { transcription: 'ears' }, warnings: [] })
    expect(content).toMatchObject({
      transcript: text,
      segments: [
        { start: 0, end: 1, text: 'One.', confidence: 0.9 },
        { start: 5, end: 6, text: 'Two.', confidence: 0.9 },
        { start: 11, end: 12, text: 'Three.', confidence: 0.9 },
      ],
    })
  })

  it.each(['doc_00000000-0000-5000-8000-00000000ffff', 'nonsense', '%E0%A4%A', '%2e%2e%2f', '%00', 'batch'])(
    'answers 404 to %s',
    async (id) => {
      const refused = await refusal(await edge.fetch(`/v1/media/${id}`))
      expect(refused).toMatchObject({
        status: 404,
        code: 'RESOURCE_NOT_FOUND',
        details: { resource_type: 'media_item' },
      })
    },
  )
})

describe('DELETE /v1/media/{media_id}', () => {
  it('deletes once, then answers 404', async () => {
    const item = catalogItem(50)
    edge.fake.items.push(item)
    const deletion = await edge.fetch(`/v1/media/${idOfItem(item)}`, { method: 'DELETE' })
    const { data, metadata } = await success(deletion, 'deleteMedia')
    expect(data).toEqual({ media_id: idOfItem(item), deletion_status: 'completed', successful: true })
    expect(metadata.resource_type).toBe('media_item')
    const again = await edge.fetch(`/v1/media/${idOfItem(item)}`, { method: 'DELETE' })
    expect(await refusal(again)).toMatchObject({ status: 404, code: 'RESOURCE_NOT_FOUND' })
  })
})

describe('DELETE /v1/media/batch', () => {
  const remove = (json: unknown) => edge.fetch('/v1/media/batch', { method: 'DELETE', json })

  it('deletes what is there and names what is not', async () => {
    const { data, metadata } = await success(
      await remove({ media_ids: [first, 'doc_x'], reason: 'cleaning' }),
      'deleteMediaBatch',
    )
    expect(data.deleted).toEqual({ count: 1, media_ids: [first], hd_vectors: 3, ld_vectors: 1 })
    expect(data.failed).toMatchObject({ count: 1, media_ids: ['doc_x'] })
    expect(metadata).toMatchObject({ reason: 'cleaning' })
    expect(metadata.operation_id).toMatch(/^req_/)
  })

  it.each([
    [{}, 'MISSING_MEDIA_IDS', 'media_ids is required'],
    [{ media_ids: [] }, 'INVALID_MEDIA_IDS', 'media_ids must not be empty'],
    [{ media_ids: 'doc_x' }, 'INVALID_MEDIA_IDS', "media_ids must be an array, got 'doc_x'"],
    [{ media_ids: null }, 'INVALID_MEDIA_IDS', 'media_ids must be an array, got null'],
    [{ media_ids: [1] }, 'INVALID_MEDIA_IDS', 'media_ids[0] must be a string, got 1'],
    [{ media_ids: Array(101).fill(first) }, 'BATCH_TOO_LARGE', 'media_ids must have at most 100 entries'],
    [{ media_ids: [first], force: true }, 'VALIDATION_ERROR', 'force is not a known parameter'],
    [{ media_ids: [first], reason: 1 }, 'VALIDATION_ERROR', 'reason must be a string, got 1'],
    [[], 'VALIDATION_ERROR', 'body must be an object'],
  ])('refuses case %#', async (json, code, message) => {
    expect(await refusal(await remove(json))).toMatchObject({ status: 400, code, message })
  })

  it('says that media_ids is missing when there is no body at all', async () => {
    const refused = await refusal(await edge.fetch('/v1/media/batch', { method: 'DELETE' }))
    expect(refused).toMatchObject({ status: 400, code: 'MISSING_MEDIA_IDS' })
  })
})
