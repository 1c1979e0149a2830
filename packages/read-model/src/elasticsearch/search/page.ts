import type { estypes } from '@elastic/elasticsearch'
import type { SearchAnswer, SearchHit } from '@medialog/application/ports'
import type { Uuid } from '@medialog/kernel'
import type { QueryWord } from '../../analysis/analyzer.ts'
import { lexicalScore, semanticScore } from '../../search/scorer.ts'
import {
  catalogItemOf,
  ITEM_FIELDS,
  tokenOf,
  type ChunkDocument,
  type ItemFields,
} from '../catalog/documents.ts'
import type { Query } from '../query.ts'
import { BEST_FIRST, BY_COLLECTION, distributionOf, LEAST_SCORE, type ByCollection } from './library.ts'
import { bestChunk, bestNearness, chunkScore, raised, SHIFT } from './queries.ts'
import { ofMedia, type Ranking } from './ranking.ts'
import { modalityOf } from './selection.ts'

type Shown = Omit<SearchHit, 'mediaId' | 'score'>

/** Ranks what passes, counts it and shows the best, in one request. */
export async function findHits(
  ranking: Ranking,
  words: readonly QueryWord[],
  passing: Query[],
): Promise<SearchAnswer> {
  const { library, query, terms } = ranking
  if (terms.passing === 0) return { hits: [], total: 0, distribution: {} }
  const filter = await ranking.candidates(passing, terms.passing)
  const { filter: named, ...shown } = shownBy(ranking)
  const scored = ranking.scored([...filter, named])
  const answer = await library.search<ItemFields, ByCollection>({
    ...shown,
    size: query.maxResults,
    _source: [...ITEM_FIELDS],
    query: raised(scored, modalityOf(query)),
    min_score: Math.max(query.minScore, LEAST_SCORE),
    track_total_hits: true,
    track_scores: true,
    sort: BEST_FIRST,
    aggs: BY_COLLECTION,
  })
  const { hits } = answer
  return {
    hits: hits.hits.map((hit) => {
      const item = catalogItemOf(hit._source!)
      return { mediaId: item.mediaId, score: hit._score!, ...readShown(ranking, words, hit), item }
    }),
    total: (hits.total as estypes.SearchTotalHits).value,
    distribution: distributionOf([answer]),
  }
}

/** What an answer shows of these items; of one that is gone, nothing. */
export async function readHits(
  ranking: Ranking,
  words: readonly QueryWord[],
  media: readonly Uuid[],
): Promise<Map<Uuid, Shown>> {
  if (media.length === 0) return new Map()
  const { filter, ...shown } = shownBy(ranking)
  const { hits } = await ranking.library.search<never>({
    ...shown,
    size: media.length,
    _source: false,
    docvalue_fields: ['media'],
    query: { bool: { filter: [ofMedia(ranking.library, media), filter] } },
  })
  return new Map(hits.hits.map((hit) => [hit.fields!['media'][0], readShown(ranking, words, hit)]))
}

const LEXICAL = 'lexical'
const semanticBy = (space: string): string => `semantic ${space}`
const holding = (token: string): string => `holds ${token}`
const PASSAGE = 'passage'

/**
 * Asks for both sides of a hit's score, for the terms it holds and for its best-scoring passage. All of it is
 * computed for hits alone: as parts of filters that need not match, these queries leave out nothing and score nothing. The
 * passage is in another filter than the rest, which would be computed once more for each passage.
 */
function shownBy(ranking: Ranking) {
  const { asked, terms, query } = ranking
  const lexical = ranking.lexical()
  const named = [
    ...(lexical ? [{ ...lexical, _name: LEXICAL }] : []),
    ...asked.map((one) => ({ ...bestNearness(one), _name: semanticBy(one.space) })),
    ...terms.terms.map(({ token }) => ({
      ...bestChunk({ term: { 'chunks.terms': token } }),
      _name: holding(token),
    })),
  ]
  return {
    filter: optional(named.map((nested) => ({ nested }))),
    post_filter: optional([
      {
        nested: {
          path: 'chunks',
          query: chunkScore(terms, query.lexicalWeight, asked),
          inner_hits: {
            name: PASSAGE,
            size: 1,
            sort: [{ _score: { order: 'desc' } }, { 'chunks.ordinal': 'asc' }],
            _source: ['chunks.text', 'chunks.ordinal'],
          },
        },
      },
    ]),
    include_named_queries_score: true,
  }
}

const optional = (queries: Query[]): Query => ({ bool: { must: [{ match_all: {} }], should: queries } })

function readShown(
  { asked, terms }: Ranking,
  words: readonly QueryWord[],
  { matched_queries, inner_hits }: Pick<estypes.SearchHit, 'matched_queries' | 'inner_hits'>,
): Shown {
  const scores = (matched_queries ?? {}) as Record<string, number>
  const semantic = asked.map(({ space, floor }) => {
    const nearness = scores[semanticBy(space)]
    return nearness === undefined ? 0 : semanticScore(nearness - SHIFT, floor)
  })
  const [passage] = inner_hits![PASSAGE]!.hits.hits
  const { text, ordinal } = (passage?._source ?? { text: '', ordinal: 0 }) as Pick<
    ChunkDocument,
    'text' | 'ordinal'
  >
  return {
    lexical: lexicalScore(scores[LEXICAL] ?? 0, terms.scale),
    semantic: Math.max(0, ...semantic),
    matchedTerms: matched(words, (token) => holding(token) in scores),
    passage: { text, chunk: ordinal },
  }
}

/** The words at least half of whose terms the item holds. */
const matched = (words: readonly QueryWord[], holds: (token: string) => boolean): string[] =>
  words
    .filter(({ terms }) => terms.filter((term) => holds(tokenOf(term))).length * 2 >= terms.length)
    .map(({ word }) => word)
