import { DEFAULT_COLLECTION, type Place } from '@medialog/domain'
import type { LogPosition, MediaType, Uuid } from '@medialog/kernel'
import type { Chunk, Enrichment, EntityKind, Extraction, ItemVectors } from './understanding.ts'

/** An item as listing, reading and search know it. */
export interface CatalogItem {
  accountId: Uuid
  mediaId: Uuid
  /** The ingest whose artifacts it shows. */
  ingestId: Uuid
  mediaType: MediaType
  format: string
  filename: string
  sizeBytes: number
  sha256: string
  collection: string
  /** Milliseconds since the epoch: of the first ingest; overwriting keeps it. */
  createdAt: number
  processedAt: number
  /** How long understanding took, in milliseconds. */
  durationMs: number
  /** Without the text, which `content` holds. */
  extraction: Omit<Extraction, 'text'>
  enrichment: Enrichment
  vectorCount: { hd: number; ld: number }
  /** The revision of the item's own stream that this shows. */
  revision: number
}

export interface CatalogContent {
  text: string
  chunks: Chunk[]
}

/** What a projection tells the read model to do; applying the same change twice changes nothing more. */
export type CatalogChange =
  | { type: 'PutItem'; item: CatalogItem; generation: number; content: CatalogContent; vectors: ItemVectors }
  /** As PutItem, where createdAt and (unless `collection` is given) place are kept from the item it replaces. */
  | {
      type: 'ReplaceItem'
      item: CatalogItem
      collection: { id: string; generation: number } | null
      content: CatalogContent
      vectors: ItemVectors
      previousIngestId: Uuid
    }
  /** The same ingest with other vectors; where another one or none is by now, nothing happens. */
  | {
      type: 'ReplaceVectors'
      accountId: Uuid
      mediaId: Uuid
      ingestId: Uuid
      revision: number
      vectors: ItemVectors
    }
  | { type: 'RemoveItem'; accountId: Uuid; mediaId: Uuid; ingestId: Uuid; revision: number; at: number }
  | { type: 'MoveItems'; accountId: Uuid; mediaIds: readonly Uuid[]; collection: string; generation: number }
  /** Ends a generation: every item in it is gone for every reader at once; the eraser takes them away after. */
  | { type: 'EndCollection'; accountId: Uuid; collection: string; generation: number; at: number }
  /** Of an account that has nothing any more: the names of its collections go, where the engine can forget them. */
  | { type: 'EraseNames'; accountId: Uuid }

export interface CatalogFilter {
  mediaType?: MediaType
  collection?: string
}

/** An item's place in the order of lists, whether or not it is still there. */
export type CatalogPlace = Pick<CatalogItem, 'createdAt' | 'mediaId'>

/** So many items, behind a place or, without it, from the first; `offset` are left out before them. */
export interface CatalogPage {
  after?: CatalogPlace
  offset: number
  limit: number
}

export interface CollectionRecord {
  collection: string
  itemCount: number
  /** Milliseconds: oldest and newest createdAt of the items present. */
  firstItemAt: number
  lastItemAt: number
  mediaTypes: Partial<Record<MediaType, number>>
}

/** Reading what is stored: listing, single items, collections. All answers are of one account. */
export interface Catalog {
  item(accountId: Uuid, mediaId: Uuid): Promise<CatalogItem | null>
  content(accountId: Uuid, mediaId: Uuid): Promise<CatalogContent | null>
  vectors(
    accountId: Uuid,
    mediaIds: readonly Uuid[],
    which: 'combined' | 'all',
  ): Promise<Map<Uuid, ItemVectors>>
  /** Those of the ids that are there, in any order. */
  items(accountId: Uuid, mediaIds: readonly Uuid[]): Promise<CatalogItem[]>
  /** Newest first (createdAt, then id). */
  list(
    accountId: Uuid,
    filter: CatalogFilter,
    page: CatalogPage,
  ): Promise<{ items: CatalogItem[]; total: number }>
  /** Collections that hold something, by name; `default` too when it does. */
  collections(accountId: Uuid): Promise<readonly CollectionRecord[]>
  collection(accountId: Uuid, collection: string): Promise<CollectionRecord | null>
  /** What the end of a collection's generation removed, and how many of its items are still to be deleted; null until it was applied. */
  endedCollection(
    accountId: Uuid,
    collection: string,
    generation: number,
  ): Promise<{ items: number; hd: number; ld: number; left: number } | null>
  /** Vectors stored (hd + ld) and bytes of derived data, for quota and usage. */
  storage(accountId: Uuid): Promise<{ vectors: number; bytes: number }>
  /** The embedders that the vectors of the account's items are of, by name. */
  models(accountId: Uuid): Promise<readonly string[]>
  /** For all accounts, with the number of items of each. */
  embeddings(): Promise<EmbeddingCount[]>
  /** Items of all accounts behind `after` (null: from the first), in an order of their own that never changes. */
  embedded(after: Pick<EmbeddedItem, 'accountId' | 'mediaId'> | null, limit: number): Promise<EmbeddedItem[]>
  /** Items dead or replaced whose derived data is still to be erased, oldest first: of all accounts, of one, or of others. */
  pendingErasures(limit: number, accounts?: AccountsWanted): Promise<Erasure[]>
  /** Up to where the log was applied. */
  position(): Promise<LogPosition>
}

/** Of these collections, of all where it is null, the names of those that are there: `default` always is. */
export async function collectionsThere(
  catalog: Pick<Catalog, 'collection' | 'collections'>,
  accountId: Uuid,
  collections: readonly string[] | null,
): Promise<string[]> {
  if (!collections) {
    const all = await catalog.collections(accountId)
    return [...new Set([DEFAULT_COLLECTION, ...all.map(({ collection }) => collection)])]
  }
  const found = await Promise.all(
    [...new Set(collections)].map(async (name) =>
      name === DEFAULT_COLLECTION || (await catalog.collection(accountId, name)) ? [name] : [],
    ),
  )
  return found.flat()
}

/** How much there is of one embedder's. */
export interface EmbeddingCount {
  model: string
  items: number
  /** Full-size ones. */
  vectors: number
  accounts: number
}

/** An item by the embedder of its vectors. */
export interface EmbeddedItem {
  accountId: Uuid
  mediaId: Uuid
  ingestId: Uuid
  model: string
}

export interface AccountsWanted {
  of?: Uuid
  notOf?: readonly Uuid[]
}

export interface Erasure {
  accountId: Uuid
  mediaId: Uuid
  ingestId: Uuid
  /** `deleted`: artifacts and the stream's past go. `replaced`: that ingest's artifacts go. `ended`: its collection ended: delete first. */
  cause: 'deleted' | 'replaced' | 'ended'
  /** The item stream's revision that caused it (`deleted`: of MediaDeleted) or that was known (`ended`). */
  revision: number
  /** In the log, of the event that caused it. */
  position: LogPosition
  /** Of `ended`: what ended. */
  place?: Place
  /** Of `ended`: the item changed after that, so it may have been recorded after it. */
  late?: true
}

/**
 * Which erasures were carried out. Kept apart from the read model, which is rebuilt from a log that still
 * has them: doing one again is harmless.
 */
export interface ErasureLedger {
  markErased(ingest: Pick<Erasure, 'mediaId' | 'ingestId'>): Promise<void>
  /** Of each ingest, in their order. */
  areDone(ingests: readonly Pick<Erasure, 'mediaId' | 'ingestId'>[]): Promise<boolean[]>
}

/** What is asked for, as one embedder has it: compared with what that embedder made, and with nothing else. */
export interface QueryVector {
  /** See Embedder. */
  model: string
  /** Unit length. */
  vector: Float32Array
  cosineFloor: number
}

export interface SearchQuery {
  accountId: Uuid
  text: string
  /** The embedded query, once an embedder at most; items of other embedders are found by their words alone. */
  vectors: readonly QueryVector[]
  /** Null: every collection. */
  collections: readonly string[] | null
  lexicalWeight: number
  minScore: number
  maxResults: number
  filters: {
    mediaTypes?: readonly MediaType[]
    /** Milliseconds since the epoch, inclusive. */
    createdAfter?: number
    createdBefore?: number
    /** Any of them, case-insensitive. */
    topics?: readonly string[]
    /** Every kind given must match, any of its names, case-insensitive. */
    entities?: Partial<Record<EntityKind, readonly string[]>>
  }
  /** Items of `type` (having all `features`) get score + weight × (1 − score). */
  modality?: { type: MediaType; weight: number; features: readonly string[] }
}

/** A query before its vectors are made. */
export type TextQuery = Omit<SearchQuery, 'vectors'>

export interface SearchHit {
  mediaId: Uuid
  /** 0 to 1, absolute: depends on query and item alone (and slowly on the account's own term statistics). */
  score: number
  lexical: number
  semantic: number
  /** Stemmed-equal words of the query that the item holds, as the item's owner wrote them in the query. */
  matchedTerms: string[]
  passage: { text: string; chunk: number }
}

export interface SearchAnswer {
  /** Best first. */
  hits: (SearchHit & { item: CatalogItem })[]
  /** Items that reach minScore with a score above 0 within the candidate depth. */
  total: number
  /** Collection to number of items among `total`. */
  distribution: { [collection: string]: number }
}
