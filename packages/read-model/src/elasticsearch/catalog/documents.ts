import {
  connectingLabels,
  type CatalogItem,
  type CatalogContent,
  type ItemVectors,
} from '@medialog/application/ports'
import type { MediaType, Uuid } from '@medialog/kernel'
import type { Analyzer } from '../../analysis/analyzer.ts'
import { termOf, type Term } from '../../analysis/term.ts'
import { bytesOf, derivedBytes, itemOfRecord, recordOf, vectorsOf } from '../../catalog/record.ts'
import { labelsOf } from '../../search/labels.ts'
import { SHORT, spaceName, spaceOf } from './mapping.ts'

/** An item as it is listed and searched. The vectors of search are added when it is written, see `indexed`. */
export interface ItemDocument {
  kind: 'item'
  account: Uuid
  media: Uuid
  ingest: Uuid
  collection: string
  generation: number
  /** Account, collection and generation: what ends at once. */
  place: string
  type: MediaType
  model: string
  /** Null: it has no vectors. */
  space: string | null
  createdAt: number
  revision: number
  hd: number
  ld: number
  bytes: number
  /** Log position of the last event that placed it. */
  placed: number
  /** The last revision of the item's stream that deleted it, or null. */
  deleted: number | null
  labels: string[]
  /** What may connect it with others, in the order of its connecting labels. */
  links: string[]
  /** See Rest. */
  record: string
  chunks: ChunkDocument[]
}

export interface ChunkDocument {
  ordinal: number
  start: number
  end: number
  text: string
  /** Tokens of its terms, each as often as it occurs. */
  terms: string
  length: number
}

/** What of an item is read, not searched. */
export interface ContentDocument {
  kind: 'content'
  account: Uuid
  media: Uuid
  ingest: Uuid
  text: string
  model: string
  dimensions: number
  /** Base64 of 32-bit floats; `chunks` is left out where it was not asked for. */
  vectors: { combined: string; short: string; chunks?: string }
}

/** In place of an item or its content that was removed: free of content, so that nothing late brings it back. */
export interface GoneDocument {
  kind: 'gone'
  account: Uuid
  media: Uuid
  deleted: number | null
}

/** One generation of a collection. */
export interface CollectionDocument {
  kind: 'collection'
  account: Uuid
  collection: string
  generation: number
  place: string
  /** Position of the event that ended it, and what it held then. */
  ended: number | null
  items: number
  hd: number
  ld: number
}

/** The places of an account that ended: who reads leaves out what is in them. */
export interface EndedDocument {
  kind: 'ended'
  account: Uuid
  places: string[]
}

/** An ingest that is no more. */
export interface ErasureDocument {
  kind: 'erasure'
  account: Uuid
  media: Uuid
  ingest: Uuid
  cause: 'deleted' | 'replaced'
  revision: number
  position: number
}

export type AnyDocument =
  | ItemDocument
  | ContentDocument
  | GoneDocument
  | CollectionDocument
  | EndedDocument
  | ErasureDocument

export const itemId = (account: Uuid, media: Uuid): string => `item/${account}/${media}`
export const contentId = (account: Uuid, media: Uuid): string => `content/${account}/${media}`
export const endedId = (account: Uuid): string => `ended/${account}`
export const collectionId = (place: string): string => `collection/${place}`
export const erasureId = (account: Uuid, media: Uuid, ingest: Uuid): string =>
  `erasure/${account}/${media}/${ingest}`
export const placeOf = (account: Uuid, collection: string, generation: number): string =>
  `${account}/${collection}#${generation}`

/** A term as the index has it: of its hash alone, see term.ts. */
export const tokenOf = ({ low, high }: Term): string => `${high.toString(36)}-${low.toString(36)}`
export const hashed = (text: string): string => tokenOf(termOf(text))

type Placed = Pick<ItemDocument, 'collection' | 'generation' | 'createdAt' | 'placed' | 'deleted'>

/** The document of an item in that place. */
export function itemDocument(
  item: CatalogItem,
  content: CatalogContent,
  vectors: ItemVectors,
  placed: Placed,
  analyzer: Analyzer,
): ItemDocument {
  const record = recordOf(item)
  return {
    kind: 'item',
    account: item.accountId,
    media: item.mediaId,
    ingest: item.ingestId,
    ...placed,
    place: placeOf(item.accountId, placed.collection, placed.generation),
    type: item.mediaType,
    revision: item.revision,
    ...item.vectorCount,
    ...embeddingOf(record, content.text, content.chunks, vectors),
    labels: labelsOf(item).map(hashed),
    links: connectingLabels(item).map(({ key }) => hashed(key)),
    record,
    chunks: content.chunks.map((chunk, ordinal) => ({
      ordinal,
      ...chunk,
      ...analysed(chunk.text, analyzer),
    })),
  }
}

/** The same ingest with other vectors. */
export const reembedded = (
  before: ItemDocument,
  { text }: Pick<ContentDocument, 'text'>,
  vectors: ItemVectors,
  revision: number,
): ItemDocument => ({ ...before, revision, ...embeddingOf(before.record, text, before.chunks, vectors) })

const embeddingOf = (
  record: string,
  text: string,
  chunks: readonly { text: string }[],
  vectors: ItemVectors,
): Pick<ItemDocument, 'model' | 'space' | 'bytes'> => ({
  model: vectors.model,
  space: vectors.dimensions > 0 ? spaceName(vectors.model, vectors.dimensions) : null,
  bytes: derivedBytes(record, text, chunks, vectors),
})

function analysed(text: string, analyzer: Analyzer): Pick<ChunkDocument, 'terms' | 'length'> {
  const { length, low, high, frequency } = analyzer.analyse(text)
  const tokens = Array.from(low, (of, at) =>
    Array.from({ length: frequency[at]! }, () => tokenOf({ low: of, high: high[at]! })).join(' '),
  )
  return { terms: tokens.join(' '), length }
}

export const contentDocument = (
  { accountId, mediaId, ingestId }: Pick<CatalogItem, 'accountId' | 'mediaId' | 'ingestId'>,
  text: string,
  vectors: ItemVectors,
): ContentDocument => ({
  kind: 'content',
  account: accountId,
  media: mediaId,
  ingest: ingestId,
  text,
  model: vectors.model,
  dimensions: vectors.dimensions,
  vectors: {
    combined: base64([vectors.combined], vectors.combined.length),
    short: base64([vectors.short], vectors.short.length),
    chunks: base64(vectors.chunks, vectors.dimensions),
  },
})

export const vectorsIn = ({ model, dimensions, vectors }: ContentDocument): ItemVectors =>
  vectorsOf({
    model,
    dimensions,
    combined: bytesIn(vectors.combined),
    short: bytesIn(vectors.short),
    chunks: vectors.chunks === undefined ? null : bytesIn(vectors.chunks),
  })

/** What search looks an item up by: its document with the vectors, the combined one in a place like a last chunk's. */
export function indexed(item: ItemDocument, vectors: ItemVectors): object {
  if (item.space === null) return item
  const space = spaceOf(item.space)
  const field = space.chunks.slice('chunks.'.length)
  return {
    ...item,
    ...(vectors.short.length === SHORT && { short: numbers(vectors.short) }),
    [space.combined]: numbers(vectors.combined),
    chunks: [
      ...item.chunks.map((chunk, at) => ({ ...chunk, [field]: numbers(vectors.chunks[at]!) })),
      { ordinal: COMBINED, [field]: numbers(vectors.combined) },
    ],
  }
}

/** To eight digits: half as long as JSON, and as near as search can tell. */
const numbers = (vector: Float32Array): number[] =>
  Array.from(vector, (value) => Number(value.toPrecision(8)))

/** The ordinal of what is no chunk but the item's combined vector. */
export const COMBINED = -1

/** An item's document as it was read: without what `indexed` added. */
export const itemIn = (source: ItemDocument): ItemDocument => ({
  ...source,
  chunks: source.chunks.filter(({ ordinal }) => ordinal !== COMBINED),
})

/** The fields of an item's document that the item itself is read from. */
export const ITEM_FIELDS = [
  'account',
  'media',
  'ingest',
  'place',
  'type',
  'collection',
  'createdAt',
  'revision',
  'hd',
  'ld',
  'record',
] as const
export type ItemFields = Pick<ItemDocument, (typeof ITEM_FIELDS)[number]>

export const catalogItemOf = (fields: ItemFields): CatalogItem =>
  itemOfRecord(fields.record, {
    accountId: fields.account,
    mediaId: fields.media,
    ingestId: fields.ingest,
    mediaType: fields.type,
    collection: fields.collection,
    createdAt: fields.createdAt,
    revision: fields.revision,
    vectorCount: { hd: fields.hd, ld: fields.ld },
  })

const base64 = (vectors: readonly Float32Array[], dimensions: number): string =>
  Buffer.from(bytesOf(vectors, dimensions)).toString('base64')

/** A copy of its own: small buffers share their memory. */
const bytesIn = (text: string): Uint8Array => new Uint8Array(Buffer.from(text, 'base64'))
