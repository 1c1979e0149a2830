import type { QueryVector, TextQuery } from '@medialog/application/ports'
import { Tally, type Uuid } from '@medialog/kernel'
import { CANDIDATE_DEPTH } from '../../search/scorer.ts'
import { itemId } from '../catalog/documents.ts'
import { spaceName, spaceOf } from '../catalog/mapping.ts'
import { COLUMNS_ALONE, type Query } from '../query.ts'
import type { Library } from './library.ts'
import { bestChunk, bm25, meaningPart, wordsPart, type AskedSpace, type BestChunk } from './queries.ts'
import type { AccountTerms } from './statistics.ts'

/** What of an item a query over connections needs. */
export interface RankedItem {
  mediaId: Uuid
  collection: string
  /** Of both sides; without a modality. */
  direct: number
  score: number
}

/** More are looked at in the graph than are taken from it: what it finds depends on how far it looks. */
const LOOKED_AT = 2 * CANDIDATE_DEPTH
/** At most so many items are scored in one request. */
const WINDOW = 10_000

/** How one query scores the items of one library. */
export class Ranking {
  readonly library: Library
  readonly query: TextQuery
  readonly terms: AccountTerms
  /** Vectors of different embedders never meet: an item is compared with the query as its own embedder has it. */
  readonly asked: readonly AskedSpace[]

  constructor(library: Library, query: TextQuery, vectors: readonly QueryVector[], terms: AccountTerms) {
    this.library = library
    this.query = query
    this.terms = terms
    this.asked = vectors.flatMap(({ model, vector, cosineFloor }) => {
      const space = spaceName(model, vector.length)
      return terms.spaces.includes(space) ? [{ space, vector: [...vector], floor: cosineFloor }] : []
    })
  }

  /**
   * What the items must be that are scored, of `count` that pass: the best of each side up to the candidate depth; all
   * there are, where that is no more. An item that goes meanwhile passes no more.
   */
  async candidates(passing: Query[], count: number): Promise<Query[]> {
    return count <= CANDIDATE_DEPTH ? passing : [...passing, await this.#nearest(passing)]
  }

  /** The score of every item that passes, without a modality. */
  scored(filter: Query[]): Query {
    const { lexicalWeight: weight } = this.query
    const lexical = this.lexical()
    const parts = [
      ...(lexical ? [wordsPart(lexical, weight, this.terms.scale)] : []),
      ...this.asked.map((asked) => meaningPart(asked, 1 - weight)),
    ]
    return { bool: { filter, should: parts } }
  }

  async score(filter: Query[]): Promise<RankedItem[]> {
    const { hits } = await this.library.search<never>({
      ...COLUMNS_ALONE,
      size: WINDOW,
      track_total_hits: false,
      query: this.scored(filter),
      docvalue_fields: ['media', 'collection'],
    })
    return hits.hits.map(({ fields, _score }) => ({
      mediaId: fields!['media'][0],
      collection: fields!['collection'][0],
      direct: _score!,
      score: _score!,
    }))
  }

  /** BM25 of an item's best chunk; null where nothing holds a term of the query. */
  lexical(): BestChunk | null {
    const { terms, averageLength } = this.terms
    return terms.length > 0 ? bestChunk(bm25(terms, averageLength)) : null
  }

  /** The best of those that pass, of each side. */
  async #nearest(passing: Query[]): Promise<Query> {
    const lexical = this.lexical()
    // In the order of the index where they tie: to sort them by id takes as long as to find them.
    const hits = {
      ...COLUMNS_ALONE,
      size: CANDIDATE_DEPTH,
      track_total_hits: false,
      docvalue_fields: ['media'],
    }
    const found = await this.library.searchAll<never>([
      ...(lexical ? [{ ...hits, query: { bool: { filter: passing, must: [{ nested: lexical }] } } }] : []),
      ...this.asked.map(({ space, vector }) => ({
        ...hits,
        knn: {
          field: spaceOf(space).chunks,
          query_vector: vector,
          k: CANDIDATE_DEPTH,
          num_candidates: LOOKED_AT,
          filter: passing,
        },
      })),
    ])
    const media = found.flatMap(({ hits }) => hits.hits.map(({ fields }): Uuid => fields!['media'][0]))
    return ofMedia(this.library, [...new Set(media)])
  }
}

/** The items of that id. */
export const ofMedia = (library: Library, media: readonly Uuid[]): Query => ({
  ids: { values: media.map((one) => itemId(library.account, one)) },
})

/** Best first, ties by id. */
export const ranked = <Item extends { mediaId: Uuid; score: number }>(items: readonly Item[]): Item[] =>
  items.toSorted((a, b) => b.score - a.score || (a.mediaId < b.mediaId ? -1 : 1))

/** Those that reach the least score with one above 0, and how many they are by collection. */
export function reaching<Item extends { collection: string; score: number }>(
  items: readonly Item[],
  minScore: number,
) {
  const reached = items.filter(({ score }) => score > 0 && score >= minScore)
  const distribution = new Tally()
  for (const { collection } of reached) distribution.add(collection)
  return { reached, total: reached.length, distribution: distribution.toObject() }
}
