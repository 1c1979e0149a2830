import { BatchNotFound, InsufficientFunds } from '@medialog/domain'
import { AccountSuspended, BacklogFull, EngineUnavailable, QuotaExceeded } from '@medialog/application'
import { MOST_BATCH_BYTES } from '@medialog/contract/http'
import { usd } from '@medialog/kernel'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { READER, refusal, startEdge, success, type Edge } from '../testing/edge.ts'
import { BATCH, batchView, NOW } from '../testing/fixtures.ts'

let edge: Edge
beforeAll(async () => {
  edge = await startEdge()
})
afterAll(() => edge[Symbol.asyncDispose]())
beforeEach(() => {
  edge.fake.creations.length = 0
  edge.fake.faults.clear()
})
// Whatever was sent and however it ended: nothing stays staged.
afterEach(async () => {
  await vi.waitUntil(() => edge.staging.staged.size === 0, { timeout: 5_000 })
})

type Part = [name: string, value: string | Blob, filename?: string]
const file = (filename = 'note.txt', content: string | Blob = 'hello'): Part => [
  'file',
  new Blob([content]),
  filename,
]
const create = (parts: Part[], headers: { [name: string]: string } = {}) => {
  const body = new FormData()
  for (const [name, value, filename] of parts)
    if (typeof value === 'string') body.append(name, value)
    else body.append(name, value, filename)
  return edge.fetch('/v1/batches', { method: 'POST', body, headers })
}
const path = `/v1/batches/batch_${BATCH}`

describe('POST /v1/batches', () => {
  it('takes files in their order and answers as the specification says', async () => {
    const response = await create([file('a.txt', 'a'), file('b.txt', 'bb')])
    const { data, metadata } = await success(response, 'createBatch')
    expect(edge.fake.creations[0]).toMatchObject({ collection: null, overwrite: false, name: null })
    expect(edge.fake.creations[0]!.files.map(({ filename, staged }) => [filename, staged.size])).toEqual([
      ['a.txt', 1],
      ['b.txt', 2],
    ])
    expect(data).toMatchObject({
      status: 'created',
      total_items: 2,
      estimated_completion_seconds: 4,
      estimated_completion: new Date(NOW + 4000).toISOString(),
      collection: 'default',
      cost_estimate: {
        total: 0.08,
        breakdown: {
          processing: { document: 0.06, image: 0, video: 0, audio: 0, model: 0 },
          storage: 0.02,
        },
      },
      settings: { force_overwrite: false, collection_id: 'default', media_count: 2 },
    })
    expect(metadata).toMatchObject({
      force_overwrite: false,
      media_types: { document: 2 },
      collection_id: 'default',
      request_id: response.headers.get('x-request-id'),
    })
    expect(data.batch_id.replace('batch_', 'req_')).toBe(metadata.request_id)
  })

  it.each<[Part[], object]>([
    [
      [['batch_options', '{"force_overwrite": true, "collection_id": "a", "batch_name": "Papers"}']],
      { overwrite: true, collection: 'a', name: 'Papers' },
    ],
    [
      [
        ['force_overwrite', 'FALSE'],
        ['collection_id', 'b'],
        ['batch_options', '{"force_overwrite": true, "collection_id": "a"}'],
      ],
      { overwrite: false, collection: 'b', name: null },
    ],
    [[['force_overwrite', '1']], { overwrite: true, collection: null }],
    [[['batch_options', '{}']], { overwrite: false, collection: null, name: null }],
  ])('reads %j, where the fields win', async (fields, expected) => {
    await success(await create([...fields, file()]), 'createBatch')
    expect(edge.fake.creations[0]).toMatchObject(expected)
  })

  it('passes an Idempotency-Key on, and says when it was a replay', async () => {
    const response = await create([file()], { 'idempotency-key': 'again' })
    await success(response, 'createBatch')
    expect(response.headers.get('idempotency-replayed')).toBe('true')
  })

  it.each<[string, Part[]]>([
    ['file', []],
    ['file', Array.from({ length: 26 }, (_, n) => file(`${n}.txt`))],
    ['batch_options', [file(), ['batch_options', '{']]],
    ['batch_options', [file(), ['batch_options', '[]']]],
    ['batch_options.nme', [file(), ['batch_options', '{"nme": "x"}']]],
    ['batch_options.batch_name', [file(), ['batch_options', '{"batch_name": ""}']]],
    [
      'batch_options.batch_name',
      [file(), ['batch_options', JSON.stringify({ batch_name: 'x'.repeat(201) })]],
    ],
    ['batch_options.batch_name', [file(), ['batch_options', '{"batch_name": "\\u0000"}']]],
    ['batch_options.collection_id', [file(), ['batch_options', '{"collection_id": "all"}']]],
    ['batch_options.force_overwrite', [file(), ['batch_options', '{"force_overwrite": "yes"}']]],
    ['force_overwrite', [file(), ['force_overwrite', 'yes']]],
    ['collection_id', [file(), ['collection_id', 'a b']]],
    ['unknown', [file(), ['unknown', 'x']]],
    ['other', [file(), ['other', new Blob(['x']), 'x.txt']]],
  ])('refuses a wrong %s', async (parameter, parts) => {
    const refused = await refusal(await create(parts), 'C')
    expect([refused.status, refused.code]).toEqual([400, 'validation_error'])
    if (parts.length > 0) expect(refused.details.parameter).toBe(parameter)
    expect(edge.fake.creations).toEqual([])
  })

  it('names each file that cannot be processed', async () => {
    const refused = await refusal(
      await create([
        file('a.txt'),
        file('b.exe'),
        file('c.txt', 'x'.repeat(100_001)),
        file('d.txt', ''),
        file('e.txt'),
      ]),
      'C',
    )
    expect([refused.status, refused.code]).toEqual([400, 'invalid_media'])
    expect(refused.details.files).toEqual([
      { index: 1, filename: 'b.exe', code: 'unsupported_file_type', reason: 'No supported format.' },
      {
        index: 2,
        filename: 'c.txt',
        code: 'file_size_exceeded',
        reason: expect.stringContaining('100000 bytes') as string,
      },
      { index: 3, filename: 'd.txt', code: 'corrupted_file', reason: 'The file is empty.' },
    ])
    expect(edge.fake.creations).toEqual([])
  })

  it('is refused as soon as all files together are too large', async () => {
    const film = new Blob([Buffer.alloc(MOST_BATCH_BYTES / 2 + 1)])
    const refused = await refusal(await create([file('a.mp4', film), file('b.mp4', film)]), 'C')
    expect(refused).toMatchObject({
      status: 400,
      code: 'validation_error',
      details: { parameter: 'file', limit_bytes: MOST_BATCH_BYTES },
    })
    // Files that are too large themselves count as well: reading past them ends there.
    const text = await refusal(await create([file('a.txt', film), file('b.txt', film)]), 'C')
    expect(text.code).toBe('validation_error')
  })

  it('is refused in the middle of its body where its account has no room for it', async () => {
    const backlog = { open_batches: 1, most_batches: 5, staged_bytes: 9, most_bytes: 10 }
    const end = vi.fn<() => void>()
    let arrived = 0
    const receive = vi.spyOn(edge.application.batches, 'receive').mockReturnValue({
      async add(bytes) {
        arrived += bytes
        if (arrived > 1) throw new BacklogFull(backlog, 7)
      },
      end,
    })
    const response = await create([file('a.txt', 'a'), file('b.txt', 'b')])
    receive.mockRestore()
    const refused = await refusal(response, 'C')
    expect(refused).toMatchObject({ status: 429, code: 'rate_limit_exceeded', details: backlog })
    expect(response.headers.get('retry-after')).toBe('7')
    expect([edge.fake.creations.length, end.mock.calls.length]).toEqual([0, 1])
  })

  it.each([
    [new InsufficientFunds(usd('0.08'), usd('0.05')), 403, 'insufficient_funds'],
    [new QuotaExceeded(10, 10), 403, 'quota_exceeded'],
    [new AccountSuspended(), 403, 'account_suspended'],
    [new EngineUnavailable('log', 'away'), 503, 'service_unavailable'],
    [new Error('a bug'), 500, 'processing_error'],
  ])('answers %s', async (error, status, code) => {
    edge.fake.faults.set('batches.create', error)
    const staged = edge.staging.staged
    const refused = await refusal(await create([file()]), 'C')
    expect([refused.status, refused.code]).toEqual([status, code])
    // The application takes the files over, refusal or not: what it left is not the edge's to remove.
    for (const id of staged) await edge.staging.release(id)
  })

  it('needs the capability to write', async () => {
    const response = await edge.fetch('/v1/batches', { method: 'POST', key: READER })
    expect(await refusal(response, 'C')).toMatchObject({ status: 403, code: 'insufficient_permissions' })
  })
})

describe('reading batches', () => {
  it('shows progress, cost and what is to be expected', async () => {
    const { data } = await success(await edge.fetch(path), 'readBatch')
    expect(data).toEqual({
      batch_id: `batch_${BATCH}`,
      batch_name: 'Autumn papers',
      status: 'running',
      collection: 'default',
      created_at: new Date(NOW).toISOString(),
      started_at: new Date(NOW + 10).toISOString(),
      completed_at: null,
      total_items: 5,
      progress: { successful: 1, skipped: 1, failed: 1, pending: 1, processing: 1, percent: 60 },
      cost: { charged: 0.16, refunded: 0.04, net: 0.12 },
      estimated_completion: new Date(NOW + 2000).toISOString(),
    })
  })

  it('shows how far the files at work are that take long, and counts that in', async () => {
    const jobId = '00000000-0000-7000-8000-000000000004'
    const [before] = edge.fake.batches
    const show = (filename: string | null) =>
      edge.fake.batches.splice(0, 1, { ...before!, atWork: [{ jobId, percent: 40, filename }] })
    show('talk.mp3')
    const { data } = await success(await edge.fetch(path), 'readBatch')
    expect(data.progress.percent).toBe(68)
    expect(data.processing_jobs).toEqual([{ job_id: `job_${jobId}`, filename: 'talk.mp3', percent: 40 }])
    const listed = await success(await edge.fetch('/v1/batches'), 'listBatches')
    expect(listed.data.batches[0]).not.toHaveProperty('processing_jobs')
    expect(listed.data.batches[0]!.progress.percent).toBe(68)
    show(null)
    const erased = await success(await edge.fetch(path), 'readBatch')
    expect(erased.data.processing_jobs).toEqual([{ job_id: `job_${jobId}`, percent: 40 }])
    edge.fake.batches.splice(0, 1, before!)
  })

  it('lists them, of one status where that is asked for', async () => {
    edge.fake.batches.push({ ...batchView(), name: null, status: 'failed', endedAt: NOW })
    const all = await success(await edge.fetch('/v1/batches'), 'listBatches')
    expect(all.data.pagination).toEqual({
      page: 1,
      page_size: 20,
      total_items: 2,
      total_pages: 1,
      has_next: false,
    })
    expect(all.data.batches[1]).not.toHaveProperty('batch_name')
    const failed = await success(await edge.fetch('/v1/batches?status=failed&page_size=100'), 'listBatches')
    expect(failed.data.batches).toHaveLength(1)
    edge.fake.batches.pop()
  })

  it('shows the outcome of the files that are done, with every statistic', async () => {
    const { data, metadata } = await success(await edge.fetch(`${path}/results`), 'readBatchResults')
    expect(data.batch_summary.completion).toEqual({
      successful: 2,
      failed: 1,
      total_items: 5,
      completion_rate: 60,
    })
    expect(data.batch_summary.timeline).toMatchObject({ completed_at: null, total_duration_seconds: null })
    expect(data.job_results.map(({ status }) => status)).toEqual(['succeeded', 'processed', 'failed'])
    expect(data.job_results[0]).toEqual({
      job_id: 'job_00000000-0000-7000-8000-000000000001',
      media_id: 'vec-00000000-0000-5000-8000-000000000001',
      filename: '1.png',
      media_type: 'image',
      status: 'succeeded',
      file_info: { size_bytes: 1_500_000, size_mb: 1.5 },
      processing_info: {
        created_at: new Date(NOW).toISOString(),
        completed_at: new Date(NOW + 100).toISOString(),
      },
    })
    expect(data.job_results[2]).toMatchObject({
      media_id: null,
      error: { code: 'corrupted_file', message: 'The file is damaged: it could not be read.' },
    })
    expect(data.statistics).toEqual({
      media_distribution: {
        by_type: { image: 1, document: 4 },
        total_created_media_items: 1,
        media_ids_by_type: { image: ['vec-00000000-0000-5000-8000-000000000001'] },
      },
      completion: { successful: 2, failed: 1, total: 5, success_rate: 40 },
      resources: { total_files_size_bytes: 7_500_000, total_files_size_mb: 7.5 },
      error_summary: [
        {
          error_type: 'corrupted_file',
          count: 1,
          affected_files: ['3.txt'],
          resolution: 'Repair the file, or remove its password, and send it again.',
        },
      ],
    })
    expect(metadata.related_endpoints).toMatchObject({ batch: '/v1/batches/{batch_id}' })
    const second = await success(await edge.fetch(`${path}/results?page=2&page_size=2`), 'readBatchResults')
    expect(second.data.job_results).toHaveLength(1)
    expect(second.data.pagination).toEqual({ page: 2, page_size: 2, total_items: 3, total_pages: 2 })
  })

  it.each([
    ['GET', '/v1/batches/batch_x', 404, 'not_found'],
    ['GET', `/v1/batches/${BATCH}/results`, 404, 'not_found'],
    ['PUT', '/v1/batches/batch_00000000-0000-7000-8000-000000000000/state', 404, 'not_found'],
    ['GET', `${path}/results?page=0`, 400, 'validation_error'],
    ['GET', `${path}/results?page_size=101`, 400, 'validation_error'],
    ['GET', '/v1/batches?status=lost', 400, 'validation_error'],
  ])('%s %s is %i %s', async (method, at, status, code) => {
    expect(await refusal(await edge.fetch(at, { method }), 'B')).toMatchObject({ status, code })
  })
})

describe('PUT /v1/batches/{batch_id}/state', () => {
  it.each([[undefined], [{ state: 'cancelled' }], [{ anything: 1 }]])(
    'cancels, whatever the body: %j',
    async (json) => {
      const { data } = await success(
        await edge.fetch(`${path}/state`, { method: 'PUT', ...(json && { json }) }),
        'cancelBatch',
      )
      expect(data).toEqual({
        batch_id: `batch_${BATCH}`,
        previous_state: 'running',
        current_state: 'cancelled',
        timestamp: new Date(NOW).toISOString(),
      })
    },
  )

  it('needs the capability to write, and the batch', async () => {
    const may = await edge.fetch(`${path}/state`, { method: 'PUT', key: READER })
    expect(await refusal(may, 'B')).toMatchObject({ status: 403, code: 'insufficient_permissions' })
    edge.fake.faults.set('batches.cancel', new BatchNotFound())
    const gone = await edge.fetch(`${path}/state`, { method: 'PUT' })
    expect(await refusal(gone, 'B')).toMatchObject({ status: 404, code: 'not_found' })
  })
})
