import { CollectionNotFound, type Application } from '@medialog/application'
import { usd } from '@medialog/kernel'
import type { FakeState } from './fake-state.ts'
import { itemOf } from './fake-library.ts'
import { ACCOUNT, catalogItem } from './fixtures.ts'

const PAYMENT = { requestId: ACCOUNT, cost: usd('0.01'), balance: usd('9.95'), position: 48 }

export const fakeSearch = ({
  items,
  searches,
}: Pick<FakeState, 'items' | 'searches'>): Application['search'] => ({
  async search(_context, query) {
    searches.push(query)
    if (query.collections !== 'all' && query.collections.includes('missing'))
      throw new CollectionNotFound('missing')
    const [item] = items
    const passage = { text: 'Wind.', chunk: 1 }
    const hit = {
      mediaId: item!.mediaId,
      score: 0.7,
      lexical: 0.6,
      semantic: 0.75,
      matchedTerms: ['wind'],
      passage,
    }
    return {
      results: [{ hit, item: item!, explanation: 'High confidence.' }],
      lexicalWeight: query.lexicalWeight,
      total: 1,
      searched: ['default'],
      distribution: { default: 1 },
      milliseconds: 1.25,
    }
  },
  async advanced(_context, query) {
    searches.push(query)
    const [item, other] = items
    const passage = { text: 'Wind.', chunk: 1 }
    const connection = {
      relation: 'shared_entity',
      strength: 0.5,
      phrase: 'both name Ada',
      source: item!,
      target: other!,
    } as const
    const hit = {
      mediaId: other!.mediaId,
      score: 0.28,
      lexical: 0,
      semantic: 0.1,
      matchedTerms: [],
      passage,
      depth: 1,
      path: [],
      crossModal: [],
    }
    return {
      results: [
        {
          hit,
          item: other!,
          explanation: 'Low confidence.',
          path: [connection],
          crossModal: [{ ...connection, source: other!, target: item! }],
        },
      ],
      lexicalWeight: query.lexicalWeight,
      total: 1,
      searched: ['default'],
      distribution: { default: 1 },
      milliseconds: 2.5,
      depthReached: 1,
      ...PAYMENT,
      cost: usd('0.02'),
      replayed: query.idempotencyKey === 'again',
    }
  },
  async similar(_context, query) {
    searches.push(query)
    const reference = itemOf(items, query.id)
    const image = catalogItem(4, { mediaType: 'image' })
    const result = { item: image, score: 0.8239, explanation: 'High confidence.' }
    return {
      reference,
      results: [result],
      clusters: query.cluster ? [{ name: 'energy, wind', members: [result] }] : null,
      total: 1,
      searched: ['default'],
      distribution: { default: 1 },
      milliseconds: 2.5,
      ...PAYMENT,
      replayed: query.idempotencyKey === 'again',
    }
  },
})
