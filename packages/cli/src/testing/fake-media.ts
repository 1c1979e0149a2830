import { createHash, randomUUID } from 'node:crypto'
import { ok, refused, TIME, type Item, type Received, type Reply, type Routes, type State } from './wire.ts'

/** Items, collections, search: stored by name and checksum, understood not at all. */
export function mediaRoutes({ items, account }: State): Routes {
  const mediaItem = (item: Item) => ({
    id: item.id,
    media_id: item.id,
    media_type: 'document',
    file_info: { filename: item.filename, size_bytes: item.size, checksum: item.checksum, page_count: 1 },
    collection: item.collection,
    status: { state: 'completed', processing_info: { completed_at: TIME, duration_ms: 1234 } },
    storage: { created_at: TIME },
    metadata: { search: searchMetadata(item) },
  })

  function upload({ body, file }: Received): Reply {
    const { filename, bytes } = file!
    if (filename.endsWith('.xyz'))
      return refused(400, 'UNSUPPORTED_FILE_TYPE', 'This type of file is not supported.')
    const checksum = createHash('sha256').update(bytes).digest('hex')
    const existing = items.get(checksum)
    if (existing && body.force_overwrite !== 'true')
      return refused(
        409,
        'DUPLICATE_FILE',
        'The same content is stored already; force_overwrite replaces it.',
        { media_id: existing.id, collection: existing.collection },
      )
    const id = existing?.id ?? `doc_${randomUUID()}`
    const collection = (body.collection_id as string | undefined) ?? 'default'
    const item = { id, filename, size: bytes.length, collection, checksum }
    items.set(checksum, item)
    const previous = account.balance
    account.balance = Number((previous - 0.04).toFixed(9))
    const {
      summary,
      description,
      semantic_markers: markers,
      entities,
      quality_metrics,
    } = searchMetadata(item)
    return ok({
      media_id: id,
      media_type: 'document',
      status: 'completed',
      content_summary: { summary, description, ...markers, keywords: [], entities, quality: quality_metrics },
      file_details: { filename, size_bytes: bytes.length, checksum, media_type: 'document', page_count: 1 },
      storage_info: { collection, vectors_stored: 3, stored_at: TIME },
      balance_info: { previous_balance: previous, cost: 0.04, new_balance: account.balance },
    })
  }

  function list({ query }: Received): Reply {
    const page = Number(query.get('page') ?? 1)
    const size = Number(query.get('page_size') ?? 20)
    const all = [...items.values()].filter(
      ({ collection }) => !query.get('collection') || query.get('collection') === collection,
    )
    const pages = Math.ceil(all.length / size)
    return ok({
      items: all.slice((page - 1) * size, page * size).map(mediaItem),
      pagination: {
        page,
        page_size: size,
        total_items: all.length,
        total_pages: pages,
        has_next: page < pages,
      },
      filters: { applied: {}, total_matching: all.length },
    })
  }

  function search({ body }: Received): Reply {
    const results = [...items.values()].slice(0, Number(body.max_results)).map((item) => ({
      media_id: item.id,
      media_type: 'document',
      score: 0.75,
      relevance_explanation: 'High confidence (75 %): words 80 %, meaning 70 %.',
      collection: item.collection,
      passage: {
        text: `A passage of ${item.filename} with \u001b[31mred\u001b[0m and \u0007bells.`,
        chunk: 1,
      },
      metadata: { file_info: { filename: item.filename }, search_metadata: searchMetadata(item) },
    }))
    return ok({
      results,
      meta: {
        query: body.query,
        stats: { total_results: items.size, query_time_ms: 3, time_ms: 3 },
        collections: { searched: ['default'], result_distribution: { default: results.length } },
        ...(body.type === 'advanced' && { cost: { amount: 0.03, depth_reached: 2 } }),
      },
      cost: body.type === 'advanced' ? 0.03 : 0,
    })
  }

  function similar({ body }: Received): Reply {
    const results = [...items.values()].map((item) => ({
      media_id: item.id,
      media_type: 'document',
      score: 0.75,
      similarity_percentage: '75.0%',
      relevance_explanation: 'High confidence (75 %): similar in content.',
      collection: item.collection,
      metadata: { file_info: { filename: item.filename }, search_metadata: searchMetadata(item) },
    }))
    const members = results.map(({ media_id: id }) => id)
    return ok({
      results,
      meta: {
        reference_item: { media_id: body.media_id, filename: 'reference.txt' },
        stats: { total_results: items.size, query_time_ms: 3, time_ms: 3 },
        collections: { searched: ['default'], result_distribution: { default: results.length } },
      },
      ...(body.cluster === true && {
        relationships: { clusters: { clusters: { 'whales, sleep': members } } },
      }),
      cost: 0.01,
    })
  }

  function ask({ body }: Received): Reply {
    const text = 'The material says:\n\n“Whales \u001b[31msleep\u001b[0m with\u0007 one half.” [1]'
    const sources = [
      {
        media_id: 'doc_1',
        filename: 'whales.txt',
        title: null,
        chunk: 2,
        text: 'Whales sleep with one half.',
        revision: 1,
      },
    ]
    const usage = { context_tokens: 210, response_tokens: 12, total_tokens: 222, processing_time_ms: 40 }
    const billing = { total_cost: 0.01, base_fee: 0.01, token_charges: 0, usage, pricing_tier: 'minimum' }
    const request = { query: body.query, temperature: 0.7, max_tokens: 1024, disclaimer: 'It quotes.' }
    if (body.stream !== true) return ok({ response: text, sources, billing, request })
    const pieces: { event: string; data: object }[] = text
      .match(/[^]{1,7}/g)!
      .map((piece) => ({ event: 'delta', data: { text: piece } }))
    if (body.query === 'break')
      pieces.push({
        event: 'error',
        data: { code: 'SERVICE_UNAVAILABLE', message: 'Gone.' },
      })
    const rest = [
      { event: 'sources', data: { sources } },
      { event: 'billing', data: billing },
      { event: 'done', data: { request, metadata: {} } },
    ]
    return { status: 200, body: [...pieces, ...rest], headers: { 'content-type': 'text/event-stream' } }
  }

  function analyze({ body, file }: Received): Reply {
    const analysis = { summary: 'A note.', key_elements: ['wind'], relevant_details: '' }
    const answer = { main_response: '“Wind.”', insights: [], additional_considerations: '' }
    const isJson = body.response_format === 'json'
    return ok({
      media_info: {
        filename: file!.filename,
        format: 'txt',
        media_type: 'document',
        size: file!.bytes.length,
      },
      processing_info: {
        model: 'fake-1',
        processing_time_ms: 12,
        status: 'success',
        cost: 0.03,
        balance: 9.97,
      },
      query_info: { query: body.query, response_format: body.response_format ?? 'text' },
      ...(isJson && { analysis, answer }),
      response: { content: isJson ? { analysis, answer } : 'Summary\nA note.\n\nAnswer\n“Wind\u0007.”' },
    })
  }

  function deleteBatch({ body }: Received): Reply {
    const ids = body.media_ids as string[]
    const gone = [...items.values()].filter(({ id }) => ids.includes(id))
    for (const { checksum } of gone) items.delete(checksum)
    const deleted = gone.map(({ id }) => id)
    const missing = ids.filter((id) => !deleted.includes(id))
    return ok({
      deleted: {
        count: deleted.length,
        media_ids: deleted,
        hd_vectors: deleted.length * 2,
        ld_vectors: deleted.length,
      },
      failed: {
        count: missing.length,
        media_ids: missing,
        reasons: Object.fromEntries(missing.map((id) => [id, 'There is no such media item.'])),
      },
    })
  }

  return [
    ['POST', /^\/v1\/media$/, upload],
    ['GET', /^\/v1\/media$/, list],
    ['DELETE', /^\/v1\/media\/batch$/, deleteBatch],
    [
      'GET',
      /^\/v1\/media\/collections$/,
      () =>
        ok({
          collections: ['default', '한국어'],
          collection_details: {
            default: { item_count: items.size, created_at: TIME, media_type_distribution: {} },
            한국어: { item_count: 7, created_at: TIME, media_type_distribution: { image: 7 } },
          },
          total_collections: 2,
        }),
    ],
    [
      'GET',
      /^\/v1\/media\/collections\/([^/]+)$/,
      (_, name) =>
        name === 'default'
          ? ok({
              collection_id: name,
              stats: {
                item_count: items.size,
                first_item_date: TIME,
                last_item_date: TIME,
                media_type_distribution: { document: items.size },
              },
            })
          : refused(404, 'COLLECTION_NOT_FOUND', 'There is no such collection.', { resource_id: name }),
    ],
    [
      'DELETE',
      /^\/v1\/media\/collections\/([^/]+)$/,
      (_, name) =>
        ok({ collection_id: name, deleted_items: 2, storage_info: { deleted_vectors: { hd: 4, ld: 2 } } }),
    ],
    [
      'POST',
      /^\/v1\/media\/collections\/([^/]+)\/items$/,
      ({ body }, name) => {
        const total = (body.items as string[]).length
        return ok({
          collection_id: name,
          summary: { total, succeeded: total, failed: 0, already_in_collection: 0, moved: total },
          items_by_type: { document: total },
        })
      },
    ],
    [
      'GET',
      /^\/v1\/media\/([^/]+)$/,
      (_, id) => {
        const item = [...items.values()].find((item) => item.id === id)
        return item
          ? ok(mediaItem(item))
          : refused(404, 'RESOURCE_NOT_FOUND', 'There is no such media item.', {
              resource_type: 'media_item',
              resource_id: id,
            })
      },
    ],
    ['POST', /^\/v1\/search$/, search],
    ['POST', /^\/v1\/search\/similar$/, similar],
    ['POST', /^\/v1\/ai\/query$/, ask],
    ['POST', /^\/v1\/ai\/analyze$/, analyze],
  ]
}

const searchMetadata = ({ filename }: Item) => ({
  summary: `What ${filename} says.`,
  description: 'A document.',
  semantic_markers: { categories: ['note'], emotions: ['calm'], topics: ['whales'] },
  entities: { people: ['Ada Lovelace'], organizations: [], locations: [], concepts: [] },
  quality_metrics: { clarity: 0.9, completeness: 0.8, relevance: 0.7, technical: 0.6 },
})
