import { vectorId } from '@medialog/kernel'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { refusal, startEdge, success, type Edge } from '../testing/edge.ts'
import { BATCH, catalogItem, idOfItem } from '../testing/fixtures.ts'

let edge: Edge
beforeAll(async () => {
  edge = await startEdge()
})
afterAll(() => edge[Symbol.asyncDispose]())

const ITEM = catalogItem(1)
const ID = idOfItem(ITEM)

describe('the history of an item', () => {
  it('tells all that is known of each event, and nothing that is not', async () => {
    const { data } = await success(await edge.fetch(`/v1/media/${ID}/history`), 'readMediaHistory')
    expect(data).toMatchObject({ media_id: ID, state: 'stored', erased: false })
    const common = { actor: 'keyall00', request_id: `req_${BATCH}`, media_ids: [ID] }
    expect(data.entries.slice(0, 3)).toEqual([
      {
        ...common,
        at: '2026-11-20T13:05:09.124Z',
        event: 'BalanceCharged',
        event_id: 'event-1',
        hash: '1'.repeat(64),
        correlation_id: 'mine',
        operation: 'batch',
        batch_id: `batch_${BATCH}`,
        job_id: `job_${BATCH}`,
        posting: {
          kind: 'charge',
          id: BATCH,
          amount: -0.04,
          lines: [{ price: 'DOCUMENT_PROCESSING', amount: 0.04 }],
        },
      },
      {
        ...common,
        at: '2026-11-20T13:05:09.125Z',
        event: 'MediaIngested',
        event_id: 'event-2',
        hash: '2'.repeat(64),
        filename: '<b>.txt',
        media_type: 'document',
        format: 'txt',
        size_bytes: 12,
        sha256: 'ab'.repeat(32),
        collection: 'default',
        understanding: {
          embedder: 'test',
          enricher: 'test-1',
          hd_vectors: 3,
          ld_vectors: 1,
          duration_ms: 5,
          warnings: ['It was long.'],
        },
      },
      {
        ...common,
        at: '2026-11-20T13:05:09.126Z',
        event: 'MediaReembedded',
        event_id: 'event-3',
        hash: '3'.repeat(64),
        understanding: { embedder: 'other' },
      },
    ])
    expect(data.entries.slice(3)).toMatchObject([
      { operation: 'search', cost: 0.02 },
      { reason: 'corrupted_file', posting: { kind: 'refund', charge_id: BATCH, amount: 0.01 } },
    ])
  })

  it('comes in pages', async () => {
    const page = await edge.fetch(`/v1/media/${ID}/history?page=2&page_size=3`)
    const { data } = await success(page, 'readMediaHistory')
    expect(data.entries).toHaveLength(2)
    const pagination = { page: 2, page_size: 3, total_items: 5, total_pages: 2, has_next: false }
    expect(data.pagination).toEqual(pagination)
  })

  it.each([
    [`/v1/media/doc_${BATCH}/history`, 404, 'RESOURCE_NOT_FOUND'],
    ['/v1/media/nothing/history', 404, 'RESOURCE_NOT_FOUND'],
    [`/v1/media/${ID}/history?page_size=1001`, 400, 'INVALID_PARAMETER'],
    [`/v1/media/${ID}/history?since=1`, 400, 'INVALID_PARAMETER'],
  ])('%s is refused: %i %s', async (path, status, code) => {
    expect(await refusal(await edge.fetch(path))).toMatchObject({ status, code })
  })
})

describe('what a request caused', () => {
  it('is shown with its batch, its items and its cost', async () => {
    const answer = await edge.fetch(`/v1/requests/req_${BATCH}?page_size=4&page=2`)
    const { data } = await success(answer, 'readRequest')
    const gone = vectorId(catalogItem(2).mediaId)
    expect(data).toMatchObject({
      request_id: `req_${BATCH}`,
      batch_id: `batch_${BATCH}`,
      first_at: '2026-11-20T13:05:09.124Z',
      last_at: '2026-11-20T13:05:09.129Z',
      charged: 0.04,
      refunded: 0.01,
      items: [
        { media_id: ID, state: 'stored', filename: ITEM.filename, collection: ITEM.collection },
        { media_id: gone, state: 'absent' },
      ],
      pagination: { page: 2, total_items: 6 },
    })
    expect(
      data.entries.map(({ event, media_ids }: { event: string; media_ids: string[] }) => [event, media_ids]),
    ).toEqual([
      ['BalanceRefunded', [ID]],
      ['JobFailed', [gone]],
    ])
  })

  it.each([
    ['/v1/requests/req_00000000-0000-7000-8000-000000000001', 404, 'RESOURCE_NOT_FOUND'],
    ['/v1/requests/nothing', 404, 'RESOURCE_NOT_FOUND'],
    [`/v1/requests/req_${BATCH}?page=0`, 400, 'VALIDATION_ERROR'],
  ])('%s is refused: %i %s', async (path, status, code) => {
    expect(await refusal(await edge.fetch(path))).toMatchObject({ status, code })
  })
})
