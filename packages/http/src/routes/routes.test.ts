import { InsufficientFunds } from '@medialog/domain'
import { usd } from '@medialog/kernel'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { OPERATOR_TOKEN, METRICS_TOKEN, refusal, startEdge, success, type Edge } from '../testing/edge.ts'
import { ACCOUNT, catalogItem, idOfItem, NOW } from '../testing/fixtures.ts'

let edge: Edge
beforeAll(async () => {
  edge = await startEdge()
})
afterAll(() => edge[Symbol.asyncDispose]())
beforeEach(() => edge.fake.faults.clear())

describe('collections', () => {
  it('are listed', async () => {
    const { data, metadata } = await success(await edge.fetch('/v1/media/collections'), 'listCollections')
    expect(data).toEqual({
      collections: ['default'],
      collection_details: {
        default: {
          item_count: 3,
          created_at: '2026-11-20T13:05:09.123Z',
          media_type_distribution: { document: 3 },
        },
      },
      total_collections: 1,
    })
    expect(metadata).toEqual({ api_version: '1.0.0' })
  })

  it('are read', async () => {
    const { data } = await success(await edge.fetch('/v1/media/collections/default'), 'readCollection')
    expect(data.stats).toMatchObject({ item_count: 3, media_type_distribution: { document: 3 } })
    expect(await refusal(await edge.fetch('/v1/media/collections/nothing'))).toMatchObject({
      status: 404,
      code: 'COLLECTION_NOT_FOUND',
    })
  })

  it.each(['All', '-x', 'a%20b', '%E0%A4%A', '%00'])('with the id %s are refused', async (id) => {
    const path = `/v1/media/collections/${id}`
    const answers = [
      await edge.fetch(path),
      await edge.fetch(path, { method: 'DELETE' }),
      await edge.fetch(`${path}/items`, { method: 'POST', json: { items: ['doc_x'] } }),
    ]
    for (const answer of answers)
      expect(await refusal(answer)).toMatchObject({
        status: 400,
        code: 'VALIDATION_ERROR',
        details: { parameter: 'collection_id' },
      })
  })

  it('are deleted, but never the default one', async () => {
    const remove = (id: string) => edge.fetch(`/v1/media/collections/${id}`, { method: 'DELETE' })
    const { data } = await success(await remove('reports'), 'deleteCollection')
    expect(data).toEqual({
      collection_id: 'reports',
      deleted_items: 2,
      storage_info: { deleted_vectors: { hd: 6, ld: 2 } },
    })
    expect(await refusal(await remove('default'))).toMatchObject({
      status: 400,
      code: 'CANNOT_DELETE_DEFAULT',
    })
    expect(await refusal(await remove('nothing'))).toMatchObject({
      status: 404,
      code: 'COLLECTION_NOT_FOUND',
    })
  })
})

describe('moving items', () => {
  const move = (json: unknown) => edge.fetch('/v1/media/collections/a/items', { method: 'POST', json })
  const id = idOfItem(catalogItem(1))

  it('answers with the summary', async () => {
    const { data, metadata } = await success(await move({ items: [id, id] }), 'moveItems')
    expect(data).toEqual({
      collection_id: 'a',
      summary: { total: 1, succeeded: 1, failed: 0, already_in_collection: 0, moved: 1 },
      items_by_type: { document: 1 },
    })
    expect(metadata).toMatchObject({ operation: 'move_to_collection', collection_id: 'a', item_count: 1 })
  })

  it.each([
    [{}, 400, 'VALIDATION_ERROR', 'items is required'],
    [{ items: [] }, 400, 'VALIDATION_ERROR', 'items must not be empty'],
    [{ items: id }, 400, 'VALIDATION_ERROR', `items must be an array, got '${id.slice(0, 40)}'`],
    [
      { items: [id, 'nonsense'] },
      400,
      'VALIDATION_ERROR',
      "items[1] must be an item's id: 'vec-' or a media id such as 'doc_…', got 'nonsense'",
    ],
    [{ items: Array(1001).fill(id) }, 400, 'BATCH_SIZE_EXCEEDED', 'items must have at most 1000 entries'],
    [{ items: [id, 'vec-x'] }, 404, 'ITEMS_NOT_FOUND', 'Some items were not found; nothing was moved.'],
  ])('refuses case %#', async (json, status, code, message) => {
    expect(await refusal(await move(json))).toMatchObject({ status, code, message })
  })
})

describe('search', () => {
  const search = (json: unknown) => edge.fetch('/v1/search', { method: 'POST', json })

  it('answers with results and statistics', async () => {
    const { data } = await success(await search({ query: 'wind' }), 'search')
    expect(data.results[0]).toMatchObject({
      score: 0.7,
      score_parts: { lexical: 0.6, semantic: 0.75, lexical_weight: 0.35, matched_terms: ['wind'] },
      context_depth: 0,
      passage: { text: 'Wind.', chunk: 1 },
    })
    expect(data.meta).toEqual({
      query: 'wind',
      stats: { total_results: 1, query_time_ms: 1, time_ms: 1 },
      collections: { searched: ['default'], result_distribution: { default: 1 } },
    })
    expect(edge.fake.searches.at(-1)).toEqual({
      text: 'wind',
      collections: ['default'],
      lexicalWeight: 0.35,
      minScore: 0,
      maxResults: 10,
      filters: {},
    })
  })

  it('passes on every option', async () => {
    const answer = await search({
      query: 'wind',
      type: 'basic',
      collections: 'ALL',
      max_results: 5,
      min_score: 0.25,
      config: { lexical_weight: 1 },
      filters: {
        media_type: 'image',
        created_after: '2026-11-20',
        created_before: '2026-11-20T12:00:00+02:00',
        topics: ['energy'],
        entities: { people: ['Ada'] },
      },
      modality: { type: 'image', weight: 0.2, features: ['chart'] },
    })
    await success(answer, 'search')
    expect(edge.fake.searches.at(-1)).toEqual({
      text: 'wind',
      collections: 'all',
      lexicalWeight: 1,
      minScore: 0.25,
      maxResults: 5,
      filters: {
        mediaTypes: ['image'],
        createdAfter: Date.UTC(2026, 10, 20),
        createdBefore: Date.UTC(2026, 10, 20, 10),
        topics: ['energy'],
        entities: { people: ['Ada'] },
      },
      modality: { type: 'image', weight: 0.2, features: ['chart'] },
    })
  })

  it('follows connections for a price', async () => {
    const json = { query: 'wind', type: 'advanced', config: { context_depth: 3, expansion_factor: 2.5 } }
    const answer = await edge.fetch('/v1/search', {
      method: 'POST',
      json,
      headers: { 'idempotency-key': 'again' },
    })
    expect(answer.headers.get('idempotency-replayed')).toBe('true')
    expect(answer.headers.get('x-position')).not.toBeNull()
    const { data } = await success(answer, 'search')
    expect(data).toMatchObject({ cost: 0.02, meta: { cost: { amount: 0.02, depth_reached: 1 } } })
    const [from, to] = [idOfItem(catalogItem(1)), idOfItem(catalogItem(2))]
    expect(data.results[0]).toMatchObject({
      media_id: to,
      score: 0.28,
      context_depth: 1,
      expansion_path: [
        {
          source_id: from,
          source_filename: 'file-1.pdf',
          target_id: to,
          target_filename: 'file-2.pdf',
          relation_type: 'shared_entity',
          strength: 0.5,
          symbol: '→',
          relationship_type: 'both name Ada',
        },
      ],
      cross_modal_connections: [
        { target_id: from, source_modality: 'document', target_modality: 'document', symbol: '↔' },
      ],
    })
    expect(edge.fake.searches.at(-1)).toMatchObject({
      contextDepth: 3,
      expansionFactor: 2.5,
      lexicalWeight: 0.35,
      idempotencyKey: 'again',
    })
  })

  it('goes one level deep, two connections wide, unless told', async () => {
    const answer = await search({ query: 'wind', type: 'advanced' })
    expect(answer.headers.get('idempotency-replayed')).toBeNull()
    expect(edge.fake.searches.at(-1)).toMatchObject({ contextDepth: 1, expansionFactor: 2 })
  })

  it.each(['search', 'search/similar'])('POST /v1/%s answers 402 where money is short', async (path) => {
    const short = new InsufficientFunds(usd('0.03'), usd('0.01'))
    edge.fake.faults.set('search.advanced', short).set('search.similar', short)
    const json = path === 'search' ? { query: 'a', type: 'advanced' } : { media_id: idOfItem(catalogItem(1)) }
    expect(await refusal(await edge.fetch(`/v1/${path}`, { method: 'POST', json }))).toMatchObject({
      status: 402,
      code: 'INSUFFICIENT_FUNDS',
      details: { required_amount: 0.03, current_balance: 0.01, shortfall: 0.02 },
    })
  })

  it.each([
    [{}, 'query'],
    [{ query: '' }, 'query'],
    [{ query: ' \n\t\u3000' }, 'query'],
    [{ query: 'a', config: { context_depth: 1 } }, 'config.context_depth'],
    [{ query: 'a', config: { expansion_factor: 2 } }, 'config.expansion_factor'],
    [{ query: 'a', type: 'advanced', config: { context_depth: 6 } }, 'config.context_depth'],
    [{ query: 'a', type: 'advanced', config: { context_depth: -1 } }, 'config.context_depth'],
    [{ query: 'a', type: 'advanced', config: { context_depth: 1.5 } }, 'config.context_depth'],
    [{ query: 'a', type: 'advanced', config: { expansion_factor: 0.9 } }, 'config.expansion_factor'],
    [{ query: 'a', type: 'advanced', config: { expansion_factor: 11 } }, 'config.expansion_factor'],
    [{ query: 'x'.repeat(10_001) }, 'query'],
    [{ query: 'a', type: 'fuzzy' }, 'type'],
    [{ query: 'a', max_results: 101 }, 'max_results'],
    [{ query: 'a', max_results: 1.5 }, 'max_results'],
    [{ query: 'a', min_score: -0.1 }, 'min_score'],
    [{ query: 'a', collections: [] }, 'collections'],
    [{ query: 'a', collections: ['a', '-x'] }, 'collections[1]'],
    [{ query: 'a', collections: { a: 1 } }, 'collections'],
    [{ query: 'a', config: { lexical_weight: 2 } }, 'config.lexical_weight'],
    [{ query: 'a', filters: { created_after: 'yesterday' } }, 'filters.created_after'],
    [{ query: 'a', filters: { entities: { animals: ['x'] } } }, 'filters.entities.animals'],
    [{ query: 'a', modality: { weight: 1 } }, 'modality.type'],
    [{ query: 'a', limit: 3 }, 'limit'],
  ])('refuses case %#', async (json, parameter) => {
    expect(await refusal(await search(json))).toMatchObject({
      status: 400,
      code: 'VALIDATION_ERROR',
      details: { parameter },
    })
  })

  it('reports a collection that does not exist', async () => {
    expect(await refusal(await search({ query: 'a', collections: 'missing' }))).toMatchObject({
      status: 404,
      code: 'COLLECTION_NOT_FOUND',
    })
  })
})

describe('similar items', () => {
  const reference = idOfItem(catalogItem(1))
  const similar = (json: unknown, headers = {}) =>
    edge.fetch('/v1/search/similar', { method: 'POST', json, headers })

  it('are found among all collections', async () => {
    const { data } = await success(await similar({ media_id: reference }), 'findSimilar')
    expect(data.results[0]).toMatchObject({
      media_id: idOfItem(catalogItem(4, { mediaType: 'image' })),
      media_type: 'image',
      similarity_percentage: '82.4%',
      metadata: {
        file_info: { filename: 'file-4.pdf' },
        media_type: 'image',
        search_metadata: { summary: 'A summary.' },
        modality_metadata: { visual: { scene_type: 'energy', visual_elements: ['mill', 'blue'] } },
      },
    })
    expect(data.meta).toEqual({
      reference_item: {
        media_id: reference,
        media_type: 'document',
        filename: 'file-1.pdf',
        collection: 'default',
      },
      stats: { total_results: 1, query_time_ms: 3, time_ms: 3 },
      collections: { searched: ['default'], result_distribution: { default: 1 } },
    })
    expect(data).not.toHaveProperty('relationships')
    expect(data.cost).toBe(0.01)
    expect(edge.fake.searches.at(-1)).toEqual({
      id: reference,
      collections: 'all',
      minScore: 0,
      maxResults: 10,
      mediaType: null,
      includeReference: false,
      cluster: false,
    })
  })

  it('pass on every option, in clusters', async () => {
    const answer = await similar(
      {
        media_id: reference,
        collections: ['a', 'b'],
        min_score: 0.5,
        max_results: 3,
        cluster: true,
        include_reference: true,
        modality_filter: 'image',
      },
      { 'idempotency-key': 'again' },
    )
    expect(answer.headers.get('idempotency-replayed')).toBe('true')
    const { data } = await success(answer, 'findSimilar')
    const image = idOfItem(catalogItem(4, { mediaType: 'image' }))
    expect(data.relationships?.clusters).toEqual({
      clusters: { 'energy, wind': [image] },
      metadata: { 'energy, wind': { modality: 'image', avg_score: 0.8239, member_count: 1 } },
    })
    expect(edge.fake.searches.at(-1)).toEqual({
      id: reference,
      collections: ['a', 'b'],
      minScore: 0.5,
      maxResults: 3,
      mediaType: 'image',
      includeReference: true,
      cluster: true,
      idempotencyKey: 'again',
    })
  })

  it.each([
    [{}, 'media_id'],
    [{ media_id: '' }, 'media_id'],
    [{ media_id: reference, max_results: 0 }, 'max_results'],
    [{ media_id: reference, min_score: 2 }, 'min_score'],
    [{ media_id: reference, modality_filter: 'text' }, 'modality_filter'],
    [{ media_id: reference, cluster: 'yes' }, 'cluster'],
    [{ media_id: reference, collections: ['-x'] }, 'collections[0]'],
    [{ media_id: reference, query: 'x' }, 'query'],
  ])('refuse case %#', async (json, parameter) => {
    expect(await refusal(await similar(json))).toMatchObject({
      status: 400,
      code: 'VALIDATION_ERROR',
      details: { parameter },
    })
  })

  it('need a reference', async () => {
    expect(await refusal(await similar({ media_id: 'vec-nothing' }))).toMatchObject({
      status: 404,
      code: 'RESOURCE_NOT_FOUND',
      details: { resource_type: 'media_item', resource_id: 'vec-nothing' },
    })
  })
})

describe('usage', () => {
  it('covers the last seven days', async () => {
    const { data, metadata } = await success(await edge.fetch('/v1/usage'), 'readUsage')
    expect(data.account_info).toEqual({
      balance: 9.96,
      tier: 'standard',
      last_billing_date: '2026-11-20T13:05:09.123Z',
      payment_status: 'active',
      user_id: ACCOUNT,
    })
    expect(data.storage_usage.total).toEqual({
      vectors: 12,
      size_gb: 0.000004096,
      quota_limit: 1_000_000,
      quota_used_percent: 0.0012,
    })
    expect(data).not.toHaveProperty('detailed_metrics')
    expect(metadata.time_range).toEqual({
      start: '2026-11-13T13:05:09.123Z',
      end: '2026-11-20T13:05:09.123Z',
      group_by: 'day',
    })
  })

  it('gives details on demand, and takes any ISO 8601', async () => {
    const query =
      'detailed=true&group_by=hour&start_time=2026-W47&end_time=20261120T1000+0200&as_of=2026-11-20'
    const { data, metadata } = await success(await edge.fetch(`/v1/usage?${query}`), 'readUsage')
    expect(data.detailed_metrics).toMatchObject({
      opening_balance: 10,
      balance_trend: { '2026-11-20': 9.96 },
      recent_transactions: [{ type: 'charge', amount: -0.04 }],
    })
    expect(metadata).toMatchObject({
      time_range: { start: '2026-11-16T00:00:00.000Z', end: '2026-11-20T00:00:00.000Z' },
      detailed: true,
      as_of: '2026-11-20T00:00:00.000Z',
    })
  })

  it('lists the account’s keys without secrets, and says which one was used', async () => {
    const { data } = await success(await edge.fetch('/v1/keys'), 'listOwnKeys')
    expect(data.keys.map(({ key_id, is_used }) => [key_id, is_used])).toEqual([
      [expect.any(String), true],
      ['abcd1234', false],
    ])
    expect(JSON.stringify(data)).not.toContain('secret-digest')
  })

  it('explains how a date should look, and what is wrong with this one', async () => {
    const refused = await refusal(await edge.fetch('/v1/usage?start_time=2026-13-01'), 'B')
    expect(refused).toMatchObject({ status: 400, code: 'validation_error' })
    expect(refused.details).toMatchObject({
      parameter: 'start_time',
      expected_format: 'ISO 8601, e.g. 2026-11-20T13:05:09Z',
    })
    expect(refused.details.parse_error).toContain('month')
  })

  it.each(['group_by=week', 'detailed=2', 'start_time=10000-01-01', 'end_time='])(
    'refuses ?%s',
    async (query) => {
      expect(await refusal(await edge.fetch(`/v1/usage?${query}`), 'B')).toMatchObject({
        status: 400,
        code: 'validation_error',
      })
    },
  )

  it('leaves out when an account was last billed that never was', async () => {
    await using other = await startEdge()
    const usage = other.application.billing.usage.bind(other.application)
    other.application.billing.usage = async (...args) => ({ ...(await usage(...args)), lastChargeAt: null })
    const { data } = await success(await other.fetch('/v1/usage'), 'readUsage')
    expect(data.account_info).not.toHaveProperty('last_billing_date')
  })
})

describe('status', () => {
  it('shows the state of the service and what the key may do', async () => {
    const { data, metadata } = await success(await edge.fetch('/v1/status'), 'readStatus')
    expect(data).toMatchObject({ status: 'operational', version: '1.0.0' })
    expect(data.account).toMatchObject({ tier: 'enterprise', capabilities: ['read', 'write', 'delete'] })
    expect(data.account.rate_limits.reset_time).toBe(new Date(NOW + 60_000).toISOString())
    expect(metadata).toEqual({
      software: {
        version: '0.1.0',
        commit: expect.stringMatching(/^[0-9a-f]{40}$/) as string,
        built_at: null,
      },
      environment: 'test',
      datacenter: 'local',
      sandbox: 'none',
    })
    expect(data).not.toHaveProperty('notice')
  })

  it('shows what is degraded', async () => {
    await using other = await startEdge()
    const health = await other.application.status.health()
    other.application.status.health = async () => ({
      ...health,
      status: 'degraded',
      components: { ...health.components, api: 'degraded' },
      limitations: { reading: 'videos are not looked at' },
    })
    const { data } = await success(await other.fetch('/v1/status'), 'readStatus')
    expect(data.notice).toEqual({ type: 'incident', message: 'api is degraded, videos are not looked at' })
  })
})

describe('the operator’s side', () => {
  const account = `/admin/accounts/${ACCOUNT}`
  const post = (path: string, json: unknown) => edge.admin(path, { method: 'POST', json })
  const put = (path: string, json: unknown) => edge.admin(path, { method: 'PUT', json })

  it('opens, lists, reads and credits accounts', async () => {
    const opened = await success(await post('/admin/accounts', { name: 'Ada', credit: 0.1 }), 'openAccount')
    expect(opened.data).toMatchObject({
      name: 'Ada',
      tier: 'standard',
      balance: 0.1,
      payment_status: 'active',
    })
    const { data: listed } = await success(await edge.admin('/admin/accounts'), 'listAccounts')
    const pagination = { page: 1, page_size: 20, total_items: 1, total_pages: 1, has_next: false }
    expect([listed.accounts.length, listed.pagination]).toEqual([1, pagination])
    const second = await success(await edge.admin('/admin/accounts?page=2&page_size=1'), 'listAccounts')
    expect([second.data.accounts, second.data.pagination.page]).toEqual([[], 2])
    const tooLarge = await refusal(await edge.admin('/admin/accounts?page_size=101'))
    expect(tooLarge).toMatchObject({ status: 400, code: 'VALIDATION_ERROR' })
    expect((await success(await edge.admin(account), 'readAccount')).data.account_id).toBe(ACCOUNT)
    const credited = await success(await post(`${account}/credits`, { amount: 0.000000001 }), 'creditAccount')
    expect(credited.data.balance).toBe(1.000000001)
  })

  it('changes tier and state', async () => {
    const tier = await success(await put(`${account}/tier`, { tier: 'free' }), 'changeTier')
    expect(tier.data.tier).toBe('free')
    const state = await success(await put(`${account}/state`, { state: 'suspended' }), 'changeState')
    expect(state.data.payment_status).toBe('suspended')
  })

  it('issues, lists, rotates and revokes keys, and shows no secret twice', async () => {
    const issued = await success(await edge.admin(`${account}/keys`, { method: 'POST' }), 'issueKey')
    expect(issued.data.api_key).toMatch(/^mlk_/)
    const listed = await success(await edge.admin(`${account}/keys`), 'listKeys')
    expect(listed.data.keys[1]).toMatchObject({ key_id: 'abcd1234', revoked: false })
    expect(JSON.stringify(listed)).not.toContain('secret-digest')
    const rotated = await success(
      await post(`${account}/keys/abcd1234/rotate`, { grace_seconds: 60 }),
      'rotateKey',
    )
    expect(rotated.data.old_key_valid_until).toBe(new Date(NOW + 60_000).toISOString())
    const revoked = await edge.admin(`${account}/keys/abcd1234`, { method: 'DELETE' })
    expect((await success(revoked, 'revokeKey')).data).toEqual({ key_id: 'abcd1234', revoked: true })
  })

  it.each([
    ['/admin/accounts', {}, 'name'],
    ['/admin/accounts', { name: ' ' }, 'name'],
    ['/admin/accounts', { name: 'a', tier: 'gold' }, 'tier'],
    ['/admin/accounts', { name: 'a', credit: -1 }, 'credit'],
    ['/admin/accounts', { name: 'a', credit: 'one' }, 'credit'],
    [`${account}/credits`, { amount: 0 }, 'amount'],
    [`${account}/credits`, { amount: 0.0000000001 }, 'amount'],
    [`${account}/keys`, { capabilities: ['admin'] }, 'capabilities[0]'],
    [`${account}/keys/abcd1234/rotate`, { grace_seconds: -1 }, 'grace_seconds'],
    ['/admin/operations', {}, 'kind'],
    ['/admin/operations', { kind: 'format-disk', name: 'catalog' }, 'kind'],
    ['/admin/operations', { kind: 'projections-rebuild' }, 'name'],
    ['/admin/operations', { kind: 'projections-verify', name: 'everything' }, 'name'],
    ['/admin/operations', { kind: 'projections-verify', name: 'usage', force: true }, 'force'],
  ])('refuses %s %j', async (path, json, parameter) => {
    expect(await refusal(await post(path, json))).toMatchObject({
      status: 400,
      code: 'VALIDATION_ERROR',
      details: { parameter },
    })
  })

  it.each(['not-an-account', '%00', '%E0%A4%A'])('answers 404 to the account %s', async (id) => {
    const refused = await refusal(await edge.admin(`/admin/accounts/${id}`))
    expect(refused).toMatchObject({ status: 404, code: 'ACCOUNT_NOT_FOUND' })
  })

  it('shows what is stored of which embedder', async () => {
    const { data } = await success(await edge.admin('/admin/embeddings'), 'readEmbeddings')
    expect(data).toEqual({
      embedder: { model: 'configured', dimensions: 384, cosine_floor: 0.15 },
      pending_items: 3,
      models: [
        { model: 'configured', items: 5, vectors: 12, accounts: 2, found_by: 'meaning' },
        { model: 'former', items: 2, vectors: 4, accounts: 1, found_by: 'meaning' },
        { model: 'lost', items: 1, vectors: 2, accounts: 1, found_by: 'words' },
      ],
    })
  })

  it('signs checkpoints and proves events', async () => {
    const made = await success(await post('/admin/audit/checkpoints', undefined), 'makeCheckpoint')
    expect(made.data).toMatchObject({ size: 12, note: expect.stringContaining('medialog/a') })
    const path = (subject: string) => `/admin/audit/proofs?subject=${subject}`
    const { data } = await success(await edge.admin(path('7')), 'readEventProofs')
    expect(data.proofs).toMatchObject([{ index: 4, leaf: { position: 7 }, event: null }])
    expect(await refusal(await edge.admin(path('8')))).toMatchObject({
      status: 404,
      code: 'RESOURCE_NOT_FOUND',
    })
    const consistency = (from: string, to: string) =>
      edge.admin(`/admin/audit/consistency?from=${from}&to=${to}`)
    expect((await success(await consistency('4', '12'), 'readConsistencyProof')).data).toEqual({
      from: 4,
      to: 12,
      hashes: ['aGFzaA=='],
    })
    for (const [from, to] of [
      ['12', '4'],
      ['-1', '4'],
      ['x', '4'],
      ['4', ''],
    ] as const)
      expect(await refusal(await consistency(from, to))).toMatchObject({
        status: 400,
        code: 'VALIDATION_ERROR',
      })
  })

  it('proves an account’s events and its ledger to itself', async () => {
    const { data } = await success(await edge.fetch('/v1/audit/proofs?subject=7'), 'readOwnEventProofs')
    expect(data.proofs).toMatchObject([{ index: 4, event: null }])
    expect(await refusal(await edge.fetch('/v1/audit/proofs?subject=8'))).toMatchObject({ status: 404 })
    for (const answer of [
      await edge.fetch('/v1/audit/ledger/proof?since=4'),
      await edge.admin(`/admin/accounts/${ACCOUNT}/ledger/proof`),
    ]) {
      expect(answer.headers.get('content-type')).toMatch(/^application\/x-ndjson/)
      const [head, ...events] = (await answer.text())
        .trim()
        .split('\n')
        .map((line: string) => JSON.parse(line) as object)
      expect(head).toMatchObject({
        ledger: { account_id: ACCOUNT, events: 2, head: { leaf: { revision: 1 } } },
      })
      // An event's position in the log of all accounts is not shown to an account.
      expect(events).toMatchObject([{ event: { revision: 0 } }, { event: { revision: 1 } }])
      expect(JSON.stringify(events)).not.toContain('position')
    }
    expect(await refusal(await edge.fetch('/v1/audit/ledger/proof?since=x'))).toMatchObject({
      status: 400,
      code: 'VALIDATION_ERROR',
    })
    expect(await refusal(await edge.admin('/admin/accounts/none/ledger/proof'))).toMatchObject({
      status: 404,
    })
  })

  it('runs operations, and shows their changes as events', async () => {
    const started = await success(
      await post('/admin/operations', { kind: 'projections-verify', name: 'catalog' }),
      'startOperation',
    )
    expect(started.data).toMatchObject({
      kind: 'projections-verify',
      parameters: { name: 'catalog' },
      status: 'running',
    })
    const path = `/admin/operations/${started.data.operation_id}`
    expect((await success(await edge.admin(path), 'readOperation')).data.status).toBe('running')
    expect(
      (await success(await edge.admin('/admin/operations'), 'listOperations')).data.operations,
    ).toHaveLength(1)
    const events = await edge.admin(path, { headers: { accept: 'text/event-stream' } })
    expect(events.headers.get('content-type')).toMatch(/^text\/event-stream/)
    expect(events.headers.get('x-accel-buffering')).toBe('no')
    const told = (await events.text()).trim().split('\n\n')
    expect(told.map((event) => event.split('\n')[0])).toEqual(['event: operation', 'event: operation'])
    expect(told.map((event) => (JSON.parse(event.split('data: ')[1]!) as { status: string }).status)).toEqual(
      ['running', 'succeeded'],
    )
    expect(await refusal(await edge.admin('/admin/operations/none'))).toMatchObject({
      status: 404,
      code: 'RESOURCE_NOT_FOUND',
    })
  })
})

describe('the public side', () => {
  const open = (path: string, headers: { [name: string]: string } = {}) =>
    edge.fetch(path, { key: null, headers })

  it('shows the public key of checkpoints', async () => {
    expect((await success(await open('/checkpoint-key'), 'readCheckpointKey')).data).toEqual({
      key: 'medialog/a+id+key',
      former_keys: [],
      handovers: [],
    })
  })

  it('tells whether it lives and is ready', async () => {
    expect((await success(await open('/healthz'), 'healthz')).data).toEqual({
      status: 'ok',
      software_version: '0.1.0',
    })
    expect((await success(await open('/readyz'), 'readyz')).data.status).toBe('operational')
  })

  it('describes itself', async () => {
    const document = (await (await open('/openapi.json')).json()) as { openapi: string; paths: object }
    expect(document.openapi).toBe('3.1.0')
    expect(Object.keys(document.paths)).toContain('/v1/media/collections/{collection_id}/items')
    const page = await open('/docs')
    expect(page.headers.get('content-security-policy')).toContain("default-src 'none'")
    const html = await page.text()
    expect(html).toContain('id="uploadMedia"')
    expect(html).not.toMatch(/(?:src|href)="(?:https?:)?\/\//)
  })

  it('leads from /docs/ to the reference', async () => {
    const answer = await open('/docs/')
    expect([answer.status, new URL(answer.url).pathname]).toEqual([200, '/docs'])
  })

  it('gives metrics to their token only', async () => {
    expect(await refusal(await open('/metrics'))).toMatchObject({ status: 401 })
    expect(await refusal(await open('/metrics', { 'x-operator-token': OPERATOR_TOKEN }))).toMatchObject({
      status: 401,
    })
    const metrics = await open('/metrics', { authorization: `Bearer ${METRICS_TOKEN}` })
    expect(metrics.headers.get('content-type')).toBe('text/plain; version=0.0.4')
    expect(await metrics.text()).toBe('up 1\n')
  })

  it('has no metrics without a token of their own', async () => {
    await using other = await startEdge({ metricsToken: undefined })
    expect(await refusal(await other.fetch('/metrics', { key: null }))).toMatchObject({
      status: 404,
      code: 'NOT_FOUND',
    })
  })
})

describe('a critical service', () => {
  it('answers 503 with its data, and is not ready', async () => {
    await using other = await startEdge()
    other.application.status.health = async () => ({
      status: 'critical',
      components: { api: 'operational', storage: 'unavailable', search: 'degraded' },
      limitations: {},
      problems: ['event store at 10.0.0.7 is unavailable'],
      readModels: [],
      providers: [],
      publishing: null,
      webhooks: null,
      pendingErasures: 0,
      room: null,
    })
    const response = await other.fetch('/v1/status')
    expect(response.status).toBe(503)
    const { CriticalStatus } = await import('@medialog/contract/http')
    const text = await response.text()
    const body = CriticalStatus.strict().parse(JSON.parse(text))
    expect(body).toMatchObject({
      code: 'service_unavailable',
      status_code: 503,
      data: { status: 'critical' },
    })
    expect(body.data.notice?.message).toBe('storage is unavailable, search is degraded')
    expect(text).not.toContain('10.0.0.7')
    expect(await refusal(await other.fetch('/readyz'))).toMatchObject({ status: 503 })
  })
})
