import type { LogPosition, Uuid } from '@medialog/kernel'
import type { CatalogItem, QueryVector, SearchAnswer, SearchHit, SearchQuery, TextQuery } from './catalog.ts'
import { ENTITY_KINDS, type EntityKind } from './understanding.ts'

/** Why two items are connected; of equally strong reasons the first counts. */
export const RELATIONS = ['same_source', 'shared_entity', 'shared_topic', 'similar_content'] as const
export type Relation = (typeof RELATIONS)[number]

/** What items can have in common by name. */
export type LabelKind = EntityKind | 'topic' | 'keyword' | 'author' | 'artist' | 'album' | 'filename'

/** Something that connects an item with all others that have the same. */
export interface ConnectingLabel {
  relation: Exclude<Relation, 'similar_content'>
  kind: LabelKind
  /** As the item has it. */
  name: string
  /** Equal where a person would say that it is the same. */
  key: string
}

/** File names of fewer letters (`1.jpg`, `a-2.txt`) do not say where a file comes from. */
const LEAST_LETTERS = 4

/** All that may connect the item by name, each once, always in the same order: `Connection.shared` counts places in it. */
export function connectingLabels({
  filename,
  extraction,
  enrichment,
}: Pick<CatalogItem, 'filename' | 'extraction' | 'enrichment'>): ConnectingLabel[] {
  const labels = new Map<string, ConnectingLabel>()
  const add = (relation: ConnectingLabel['relation'], kind: LabelKind, name: string | number | undefined) => {
    const text = String(name ?? '').trim()
    const key = `${kind}:${text.normalize('NFKC').toLowerCase()}`
    if (text !== '' && !labels.has(key)) labels.set(key, { relation, kind, name: text, key })
  }
  const { facts } = extraction
  add('same_source', 'author', extraction.author ?? undefined)
  if (facts.mediaType === 'audio') {
    add('same_source', 'artist', facts.tags['artist'])
    add('same_source', 'album', facts.tags['album'])
  }
  if (facts.mediaType === 'image') add('same_source', 'artist', facts.exif['Artist'])
  const stem = filename.replace(/\.[^.]*$/, '')
  if (stem.replaceAll(/\P{L}/gu, '').length >= LEAST_LETTERS) add('same_source', 'filename', stem)
  for (const kind of ENTITY_KINDS)
    for (const name of enrichment.entities[kind]) add('shared_entity', kind, name)
  for (const topic of enrichment.topics) add('shared_topic', 'topic', topic)
  for (const keyword of enrichment.keywords) add('shared_topic', 'keyword', keyword)
  return [...labels.values()]
}

/** One item's connection with another. */
export interface Connection {
  source: Uuid
  target: Uuid
  /** The strongest relation between the two. */
  relation: Relation
  /** 0 to 1: how rare what they share is in the account's library, or how near they are in content. */
  strength: number
  /** Places among the source's connecting labels, the rarest first, three at most; none for similar content. */
  shared: number[]
}

/** How far connections are followed. */
export interface Reach {
  /** How many levels of connections are followed, 0 to 5. */
  contextDepth: number
  /** How many connections of an item are followed, 1 to 10; rounded up. */
  expansionFactor: number
}

export interface AdvancedHit extends SearchHit {
  /** 0: it matches directly at least as well as through any connection. */
  depth: number
  /** The connections that lead from a direct match to it, in order; empty at depth 0. */
  path: Connection[]
  /** Its strongest connections with items of other media types. */
  crossModal: Connection[]
}

export type AdvancedQuery = SearchQuery & Reach

export interface AdvancedAnswer extends Omit<SearchAnswer, 'hits'> {
  /** Best first. */
  hits: AdvancedHit[]
  /** The deepest level at which something was found better than directly, passing the filters or not. */
  depthReached: number
}

export interface SimilarQuery {
  accountId: Uuid
  /** The reference item. */
  mediaId: Uuid
  /** Of the embedder of the reference's vectors, see Embedder. */
  cosineFloor: number
  /** The reference's combined vector as other embedders have it: without, items of theirs are not compared. */
  others: readonly QueryVector[]
  /** Null: every collection. */
  collections: readonly string[] | null
  minScore: number
  maxResults: number
  /** Null: any. */
  mediaType: CatalogItem['mediaType'] | null
}

export interface SimilarAnswer {
  /** Best first, without the reference. */
  hits: { mediaId: Uuid; score: number }[]
  /** Items that reach minScore with a score above 0. */
  total: number
  distribution: { [collection: string]: number }
}

/** Every score is absolute, see SearchHit, and that of the account's own items alone. */
export interface Search {
  /** Begins a query: what needs no vector is done while its vectors are made. */
  prepare(query: TextQuery): Promise<PreparedSearch>
  /** What is near the reference item in content; null where there is no such item. */
  similar(query: SimilarQuery): Promise<SimilarAnswer | null>
  /**
   * How many vectors of that many dimensions it can search in one account; Infinity where only storage limits it.
   */
  mostVectors(dimensions: number): number
  /** Up to where the log was applied to what is searched. */
  position(): Promise<LogPosition>
  close(): Promise<void>
}

/** A query that is begun; `vectors` as in SearchQuery. */
export interface PreparedSearch {
  /** The embedders that the vectors of the account's items are of, by name. */
  models: readonly string[]
  /** What is searched: see collectionsThere. */
  collections: readonly string[]
  search(vectors: readonly QueryVector[]): Promise<SearchAnswer>
  /** As `search`, and what is connected with what was found. Scores of direct matches are the same. */
  advanced(vectors: readonly QueryVector[], reach: Reach): Promise<AdvancedAnswer>
}
