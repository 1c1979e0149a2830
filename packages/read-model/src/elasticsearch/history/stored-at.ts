import type { Client } from '@elastic/elasticsearch'
import type { History, StoredThen, StoredThenPage } from '@medialog/application/ports'
import type { Uuid } from '@medialog/kernel'
import { earliest, type Stay } from '../../history/stays.ts'
import { collected, everything, readPage } from '../pages.ts'
import type { Query } from '../query.ts'
import type { EndedDocument, ItemDocument } from './definition.ts'

/** What one `terms` may hold: `index.max_terms_count`. */
const TERMS = 65_536

/** Each item with its stay of that moment: of the stays of an item one holds it at most. */
export async function readStoredAt(
  client: Client,
  index: string,
  account: Uuid,
  asOf: number,
  { mediaType, placeIds }: Parameters<History['storedAt']>[2],
  window: { offset: number; limit: number },
): Promise<StoredThenPage> {
  const ended = await endedPlaces(client, index, account)
  const gone = [...ended].filter(([, at]) => at <= asOf).map(([place]) => place)
  const then: Query = {
    bool: {
      filter: [
        { range: { 'stays.from': { lte: asOf } } },
        { range: { 'stays.until': { gt: asOf } } },
        ...(mediaType ? [{ term: { 'stays.mediaType': mediaType } }] : []),
        ...(placeIds ? [{ bool: { should: anyOf(placeIds), minimum_should_match: 1 } }] : []),
      ],
      must_not: anyOf(gone),
    },
  }
  const ofItems = [{ term: { kind: 'item' } }, { term: { account } }]
  const [{ documents, total }, { count: undated }] = await Promise.all([
    readPage<Pick<ItemDocument, 'media' | 'stays'>>(
      client,
      {
        index,
        routing: account,
        query: { bool: { filter: [...ofItems, { nested: { path: 'stays', query: then } }] } },
        sort: [
          { 'stays.createdAt': { order: 'desc', nested: { path: 'stays', filter: then } } },
          { media: 'asc' },
        ],
        _source: ['media', 'stays'],
      },
      window,
    ),
    client.count({
      index,
      routing: account,
      query: { bool: { filter: [...ofItems, { range: { undatedUntil: { gt: asOf } } }] } },
    }),
  ])
  const items = documents.map(({ media, stays }) =>
    storedThen(
      media,
      stays.find(({ from, until }) => from <= asOf && asOf < until)!,
      ended,
    ),
  )
  return { items, total, undated }
}

function storedThen(mediaId: Uuid, stay: Stay, ended: ReadonlyMap<Uuid, number>): StoredThen {
  const { mediaType, createdAt, deletedAt, lastPlaceId, ingestPosition, placePosition } = stay
  const endedAt = lastPlaceId === null ? null : (ended.get(lastPlaceId) ?? null)
  return {
    mediaId,
    mediaType,
    createdAt,
    erasedAt: earliest(deletedAt, endedAt),
    ingestPosition,
    placePosition,
  }
}

/** When each of the account's ended. */
async function endedPlaces(client: Client, index: string, account: Uuid): Promise<Map<Uuid, number>> {
  const documents = await collected(
    everything<EndedDocument & { id: string }>(client, {
      index,
      routing: account,
      query: { bool: { filter: [{ term: { kind: 'ended' } }, { term: { account } }] } },
      sort: [{ id: 'asc' }],
    }),
  )
  return new Map(documents.map(({ place, at }) => [place, at]))
}

function anyOf(places: readonly Uuid[]): Query[] {
  const queries: Query[] = []
  for (let from = 0; from < places.length; from += TERMS)
    queries.push({ terms: { 'stays.placeId': places.slice(from, from + TERMS) } })
  return queries
}
