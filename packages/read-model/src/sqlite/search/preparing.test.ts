import { setImmediate as nextTurn } from 'node:timers/promises'
import type { SearchQuery } from '@medialog/application/ports'
import { expect, test } from 'vitest'
import { put, uuid } from '../../testing/items.ts'
import { preparing, type RowSearch } from './preparing.ts'

const account = uuid('account')
const { item } = put({ media: 'a' })

/** Finds an item that exists and one that does not, and records its calls. */
function searching() {
  const heard: string[] = []
  const hit = { score: 1, lexical: 1, semantic: 1, matchedTerms: [], passage: { text: '', chunk: 0 } }
  const rows = {
    announce: (_account, text) => heard.push(`announced ${text}`),
    async search({ text }) {
      heard.push(`asked ${text}`)
      const hits = [uuid('gone'), item.mediaId].map((mediaId) => ({ ...hit, mediaId }))
      return { hits, total: 2, distribution: { default: 2 } }
    },
  } as Partial<RowSearch> as RowSearch
  const catalog = {
    models: async () => ['test'],
    collection: async () => null,
    collections: async () => [],
    items: async (_account: string, ids: readonly string[]) => (ids.includes(item.mediaId) ? [item] : []),
  }
  const query = { accountId: account, text: 'four', collections: null } as unknown as SearchQuery
  return { heard, prepare: () => preparing(catalog, rows)(query) }
}

test('an item deleted between the search and its reading is left out', async () => {
  const { prepare } = searching()
  const answer = await (await prepare()).search([])
  expect(answer.hits.map((hit) => hit.item)).toEqual([item])
  expect(answer.total).toBe(2)
})

test('the words are announced only while the vectors are being made', async () => {
  const atOnce = searching()
  await (await atOnce.prepare()).search([])
  await nextTurn()
  expect(atOnce.heard).toEqual(['asked four'])
  const later = searching()
  const prepared = await later.prepare()
  await nextTurn()
  await prepared.search([])
  expect(later.heard).toEqual(['announced four', 'asked four'])
})
