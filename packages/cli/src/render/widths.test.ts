import { describe, expect, test } from 'vitest'
import { makeLook, type Look } from '../terminal/look.ts'
import { widthOf } from '../terminal/text.ts'
import { ENTRIES, mediaHistory, requestHistory } from '../testing/fake-history.ts'
import { POSTINGS, REPRICING, reportOf } from '../testing/fake-audit.ts'
import { renderAccounts, renderKeys } from './accounts.ts'
import { renderReplay, renderReprice, renderUsageDiff } from './audit.ts'
import { renderCollections } from './collections.ts'
import { renderMediaHistory, renderRequest } from './history.ts'
import { renderMediaItem, renderMediaPage } from './media.ts'
import { renderOperations } from './operations.ts'
import { renderProfiles } from './profiles.ts'
import { renderSearch } from './search.ts'
import { renderStatus } from './status.ts'
import { renderUsage } from './usage.ts'

const UUID = '0190d3c2-6f0e-7b1a-9c1d-2f6f5f0a7b11'
const MEDIA = `doc_${UUID}`
const AT = '2026-11-20T13:05:09.123Z'
const LONG = 'a rather long name that somebody thought of.pdf'
const COLLECTION = 'minutes-of-the-general-assembly'

const search = {
  summary: 'It says what was said.',
  description: 'What was said by whom, and what was decided then.',
  keywords: ['assembly'],
  semantic_markers: { categories: ['business'], emotions: ['calm'], topics: ['general assembly', 'minutes'] },
  entities: { people: ['Ada Lovelace'], organizations: ['Acme'], locations: [], concepts: ['voting'] },
  quality_metrics: { clarity: 0.91, completeness: 0.82, relevance: 0.73, technical: 0.64 },
}
const file = { filename: LONG, size_bytes: 12_345_678, checksum: 'a'.repeat(64) }
const item = {
  id: MEDIA,
  media_id: MEDIA,
  media_type: 'document' as const,
  collection: COLLECTION,
  status: { state: 'completed' as const, processing_info: { completed_at: AT, duration_ms: 432 } },
  storage: { created_at: AT },
  file_info: { ...file, processed_at: AT, page_count: 341, word_count: 123_456 },
  metadata: {
    search,
    processing: {
      models: { enrichment: 'openai:gpt-5-mini + medialog-offline-2' },
      warnings: ['Summary, topics and entities were made offline. The model provider could not be reached.'],
    },
    modality: {
      formatting: { original_format: 'pdf', structure_type: 'sections', was_truncated: false },
      structure: { has_figures: true, has_tables: true, sections: [] },
    },
  },
}

const recording = {
  ...item,
  media_type: 'audio' as const,
  content: {
    text: 'What was said.',
    chunks: ['What was said.'],
    summary: '',
    segments: [
      { start: 0.4, end: 9, text: 'What was said by whom. '.repeat(8).trim(), confidence: 0.9 },
      { start: 761.3, end: 770, text: 'And no more.', confidence: 0.8 },
    ],
  },
}

const entries = ENTRIES.map((entry) => ({
  ...entry,
  ...(entry.filename && { filename: LONG, collection: COLLECTION }),
  request_id: `req_${UUID}`,
}))
const pagination = { page: 1, page_size: 5, total_items: 5, total_pages: 1, has_next: false }

const repriced = {
  operation_id: UUID,
  kind: 'audit-reprice',
  parameters: {},
  status: 'succeeded' as const,
  progress: { ratio: 1, message: 'done' },
  result: REPRICING,
  error: null,
  started_at: AT,
  ended_at: AT,
}

/** Everything that is drawn as a table or in pairs, with long values. */
const DRAWN: { readonly [what: string]: (look: Look) => string[] } = {
  list: (look) =>
    renderMediaPage(
      {
        items: [item],
        pagination: { page: 1, page_size: 20, total_items: 1, total_pages: 1, has_next: false },
        filters: { applied: {}, total_matching: 1 },
      },
      look,
    ),
  show: (look) => renderMediaItem(item, look),
  'a recording': (look) => renderMediaItem(recording, look),
  collections: (look) =>
    renderCollections(
      {
        collections: ['c'.repeat(64)],
        collection_details: {
          ['c'.repeat(64)]: { item_count: 1_000_000, created_at: AT, media_type_distribution: {} },
        },
        total_collections: 1,
      },
      look,
    ),
  search: (look) =>
    renderSearch(
      {
        results: [
          {
            media_id: MEDIA,
            media_type: 'document',
            score: 0.62,
            relevance_explanation:
              'High confidence (62 %): words 93 %, meaning 50 %. Matching words: assembly.',
            score_parts: { lexical: 0.93, semantic: 0.5, lexical_weight: 0.35, matched_terms: ['assembly'] },
            collection: COLLECTION,
            passage: {
              text: 'What was said by whom. '.repeat(40),
              chunk: 3,
              time: { start: 761.3, end: 790 },
            },
            metadata: { file_info: file, search_metadata: search },
            context_depth: 0,
            expansion_path: [],
            cross_modal_connections: [],
          },
        ],
        meta: {
          query: 'assembly',
          stats: { total_results: 1, query_time_ms: 3, time_ms: 3 },
          collections: { searched: [COLLECTION], result_distribution: { [COLLECTION]: 1 } },
        },
        cost: 0,
      },
      look,
    ),
  accounts: (look) =>
    renderAccounts(
      [
        {
          account_id: UUID,
          name: LONG,
          tier: 'enterprise',
          balance: 123_456.789,
          payment_status: 'suspended',
          created_at: AT,
        },
      ],
      look,
    ),
  keys: (look) =>
    renderKeys(
      [
        {
          key_id: '1a2b3c4d',
          label: LONG,
          capabilities: ['read', 'write', 'delete'],
          created_at: AT,
          expires_at: null,
          old_key_valid_until: '2999-01-01T00:00:00.000Z',
          revoked: false,
        },
      ],
      look,
    ),
  operations: (look) =>
    renderOperations(
      [
        {
          operation_id: UUID,
          kind: 'projections-rebuild',
          parameters: { name: 'accounts' },
          status: 'succeeded',
          progress: { ratio: 1, message: 'done' },
          result: {},
          error: null,
          started_at: AT,
          ended_at: AT,
        },
      ],
      look,
    ),
  usage: (look) =>
    renderUsage(
      {
        account_info: { balance: 9.96, tier: 'enterprise', payment_status: 'active', user_id: UUID },
        billing_summary: {
          current_balance: 9.96,
          usage_costs: { DOCUMENT_PROCESSING: 1234.56 },
          pricing: { DOCUMENT_PROCESSING: 0.03 },
        },
        storage_usage: {
          total: { vectors: 99_999_999, size_gb: 123.4, quota_limit: 100_000_000, quota_used_percent: 99.9 },
        },
        detailed_metrics: {
          usage_trends: { DOCUMENT_PROCESSING: { '2026-11-20T13:00:00Z': 0.03 } },
          opening_balance: 10,
          balance_trend: { '2026-11-20T13:00:00Z': 9.96 },
          recent_transactions: [{ timestamp: AT, type: 'charge', amount: -0.04, status: 'completed' }],
        },
      },
      look,
    ),
  history: (look) => renderMediaHistory({ ...mediaHistory, media_id: MEDIA, entries, pagination }, look),
  request: (look) =>
    renderRequest({ ...requestHistory, request_id: `req_${UUID}`, entries, pagination }, look),
  replay: (look) => renderReplay({ ...reportOf(true), postings: POSTINGS }, look),
  diff: (look) =>
    renderUsageDiff(
      {
        from: { at: AT, balance: 123_456.789, usage_costs: {} },
        to: { at: AT, balance: 0, usage_costs: { DOCUMENT_PROCESSING: 123_456.789 } },
        difference: { balance: -123_456.789, usage_costs: { DOCUMENT_PROCESSING: 123_456.789 } },
      },
      look,
    ),
  reprice: (look) => renderReprice(repriced, look),
  status: (look) =>
    renderStatus(
      {
        status: 'degraded',
        version: '1.0.0',
        timestamp: AT,
        components: { api: 'operational', storage: 'operational', search: 'unavailable' },
        account: {
          tier: 'enterprise',
          capabilities: ['read', 'write', 'delete'],
          rate_limits: { limit: 6000, remaining: 5999, reset_time: AT },
        },
        performance: { response_time_ms: 12 },
        providers: [
          {
            use: 'enrichment',
            model: 'openai:gpt-5-mini',
            breaker: 'open',
            trouble: 'The model provider failed (500).',
          },
        ],
        notice: { type: 'incident', message: 'search is unavailable, and will be for as long as it takes' },
      },
      { url: 'https://medialog.example.com:8443', software: '0.1.0' },
      look,
    ),
  profiles: (look) =>
    renderProfiles(
      {
        current: 'work',
        profiles: { work: { url: `https://${'x'.repeat(60)}.example`, key: 'mlk_1a2b3c4d_s' } },
      },
      look,
    ),
}

describe.each([60, 80, 120])('in %i columns', (width) => {
  test.each(Object.entries(DRAWN))('%s fits', (_what, draw) => {
    const lines = draw(makeLook({ colours: false, width }))
    // A digest is to be copied: it stays whole.
    const broad = lines.filter((line) => widthOf(line) > width && !line.startsWith('sha-256'))
    expect(broad).toEqual([])
    expect(lines.length).toBeGreaterThan(1)
  })

  test.each(['list', 'search', 'show', 'accounts', 'operations', 'history', 'request'])(
    '%s keeps ids whole',
    (what) => {
      expect(DRAWN[what]!(makeLook({ colours: false, width })).join('\n')).toContain(UUID)
    },
  )
})

test('names stay readable in a narrow list', () => {
  const [, line] = DRAWN['list']!(makeLook({ colours: false, width: 60 }))
  expect(line).toMatch(/ {2}a rat.*….* of\.pdf$/)
})

test('what is said has the time at which it is', () => {
  const look = makeLook({ colours: false, width: 80 })
  expect(DRAWN['search']!(look).join('\n')).toContain('│ at 12:41: What was said by whom.')
  const lines = DRAWN['a recording']!(look)
  const said = lines.slice(lines.indexOf('Transcript') + 1)
  expect(said[0]).toMatch(/^0:00 +What was said by whom\./)
  expect(said.at(-1)).toMatch(/^12:41 +And no more\.$/)
})
