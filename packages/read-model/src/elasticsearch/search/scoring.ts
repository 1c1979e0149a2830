import type { QueryVector, SearchQuery } from '@medialog/application/ports'
import { Tally, type Uuid } from '@medialog/kernel'
import { boosted, CANDIDATE_DEPTH, combinedScore, lexicalScore, semanticScore } from '../../search/scorer.ts'
import { itemId } from '../catalog/documents.ts'
import { COLUMNS_ALONE, type Query } from '../query.ts'
import { spaceName, spaceOf } from '../catalog/mapping.ts'
import type { AccountTerms } from './account-terms.ts'
import { BEST_FIRST, type Library } from './library.ts'
import { bestChunk, bestNearness, bm25, SHIFT } from './queries.ts'

/** What of an item an answer needs, with its score. */
export interface ScoredItem {
  mediaId: Uuid
  collection: string
  lexical: number
  semantic: number
  /** Of both sides; without a modality. */
  direct: number
  score: number
}

/** The query as one embedder has it, with the space that it is compared in. */
export interface AskedSpace {
  space: string
  vector: number[]
  floor: number
}

/** Vectors of different embedders never meet: an item is compared with the query as its own embedder has it. */
export const askedSpaces = (vectors: readonly QueryVector[], spaces: readonly string[]): AskedSpace[] =>
  vectors.flatMap(({ model, vector, cosineFloor }) => {
    const space = spaceName(model, vector.length)
    return spaces.includes(space) ? [{ space, vector: [...vector], floor: cosineFloor }] : []
  })

/** More are looked at in the graph than are taken from it: what it finds depends on how far it looks. */
const LOOKED_AT = 2 * CANDIDATE_DEPTH
const HIT_FIELDS = ['media', 'collection']
/** At most so many items are scored in one request. */
const WINDOW = 10_000

/** Scores the items of one library for one query. */
export class Scoring {
  readonly library: Library
  readonly query: SearchQuery
  readonly terms: AccountTerms
  readonly asked: AskedSpace[]

  constructor(library: Library, query: SearchQuery, terms: AccountTerms) {
    this.library = library
    this.query = query
    this.terms = terms
    this.asked = askedSpaces(query.vectors, terms.spaces)
  }

  /**
   * Those of the items that pass which are scored: the best of each side up to the candidate depth; all there are,
   * where that is no more. `isPreferred`: what raises a score.
   */
  async candidates(
    passing: Query[],
    count: number,
    isPreferred: Query[] | null = null,
  ): Promise<ScoredItem[]> {
    // An item that goes meanwhile passes no more.
    const filter = count <= CANDIDATE_DEPTH ? passing : [...passing, await this.#nearest(passing)]
    return this.score(filter, isPreferred)
  }

  /** Both sides of every item that passes. */
  async score(filter: Query[], isPreferred: Query[] | null = null): Promise<ScoredItem[]> {
    const [byWords, ...byMeaning] = await this.library.searchAll<never>([
      {
        ...this.#hits(WINDOW),
        query: {
          bool: {
            filter,
            should: [this.#lexical(), ...(isPreferred ? [preference(isPreferred)] : [])],
          },
        },
        docvalue_fields: HIT_FIELDS,
      },
      ...this.asked.map(({ space, vector }) => ({
        ...this.#hits(WINDOW),
        query: { bool: { filter, must: [bestNearness(space, vector)] } },
        docvalue_fields: ['media'],
      })),
    ])
    const semantic = new Map<Uuid, number>()
    for (const [at, { hits }] of byMeaning.entries())
      for (const { fields, _score } of hits.hits)
        semantic.set(fields!['media'][0], semanticScore(_score! - SHIFT, this.asked[at]!.floor))
    return byWords!.hits.hits.map(({ fields, _score, matched_queries }) => {
      const mediaId: Uuid = fields!['media'][0]
      const sides = { lexical: lexicalScore(_score!, this.terms.scale), semantic: semantic.get(mediaId) ?? 0 }
      const direct = combinedScore(this.query.lexicalWeight, sides.lexical, sides.semantic)
      const isRaised = (matched_queries as string[] | undefined)?.includes(PREFERRED) ?? false
      const score = isRaised ? boosted(direct, this.query.modality!.weight) : direct
      return { mediaId, collection: fields!['collection'][0], ...sides, direct, score }
    })
  }

  /** The best of those that pass, of each side. */
  async #nearest(passing: Query[]): Promise<Query> {
    const found = await this.library.searchAll<never>([
      {
        ...this.#hits(CANDIDATE_DEPTH),
        query: { bool: { filter: passing, must: [this.#lexical()] } },
        sort: BEST_FIRST,
        track_scores: true,
        docvalue_fields: ['media'],
      },
      ...this.asked.map(({ space, vector }) => ({
        ...this.#hits(CANDIDATE_DEPTH),
        knn: {
          field: spaceOf(space).chunks,
          query_vector: vector,
          k: CANDIDATE_DEPTH,
          num_candidates: LOOKED_AT,
          filter: passing,
        },
        docvalue_fields: ['media'],
      })),
    ])
    const media = found.flatMap(({ hits }) => hits.hits.map(({ fields }): Uuid => fields!['media'][0]))
    return ofMedia(this.library, [...new Set(media)])
  }

  #lexical(): Query {
    const { terms, averageLength } = this.terms
    return terms.length > 0 ? bestChunk(bm25(terms, averageLength)) : { match_none: {} }
  }

  #hits = (size: number) => ({ ...COLUMNS_ALONE, size, track_total_hits: false })
}

const PREFERRED = 'preferred'
const preference = (filter: Query[]): Query => ({
  constant_score: { filter: { bool: { filter } }, boost: 0, _name: PREFERRED },
})

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
