import type { CatalogChange, CatalogItem, ItemVectors, QueryVector } from '@medialog/application/ports'
import type { MediaType, Uuid } from '@medialog/kernel'
import { createHash } from 'node:crypto'

export const DIMENSIONS = 16
export const TEST_MODEL = 'test'
/** An embedder whose vectors are comparable with nothing else, not even by their length. */
export const OTHER_MODEL = 'other'
const FLOORS = { [TEST_MODEL]: 0.15, [OTHER_MODEL]: 0.05 }

/** A UUID that depends on the name alone. */
export function uuid(name: string): Uuid {
  const hex = createHash('sha256').update(name).digest('hex')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}

/** A unit vector that depends on the name alone. */
export function vector(name: string, dimensions = DIMENSIONS): Float32Array {
  const bytes = Array.from({ length: Math.ceil(dimensions / 16) }, (_, block) => [
    ...createHash('sha256').update(`${name}/${block}`).digest().subarray(0, 16),
  ]).flat()
  return unit(Float32Array.from(bytes.slice(0, dimensions), (byte) => byte - 127.5))
}

export function unit(values: Float32Array): Float32Array {
  const length = Math.hypot(...values)
  return values.map((value) => value / length)
}

export const product = (a: Float32Array, b: Float32Array): number =>
  a.reduce((sum, value, index) => sum + value * b[index]!, 0)

export interface ItemSketch {
  account?: string
  media: string
  ingest?: string
  type?: MediaType
  collection?: string
  generation?: number
  createdAt?: number
  revision?: number
  topics?: string[]
  keywords?: string[]
  people?: string[]
  organizations?: string[]
  filename?: string
  author?: string
  /** Text of each chunk, the head first. */
  chunks?: string[]
  /** One a chunk; made from the chunks' texts unless given. */
  vectors?: Float32Array[]
  /** The embedder; `TEST_MODEL` unless given. */
  model?: string
}

/** The change that puts an item into the catalog, everything that is not told filled in. */
export function put(sketch: ItemSketch): Extract<CatalogChange, { type: 'PutItem' }> {
  const chunks = sketch.chunks ?? [sketch.media, `text of ${sketch.media}`]
  const item = itemOf(sketch, chunks.length)
  const texts = chunks.slice(1)
  const content = {
    text: texts.join('\n\n'),
    chunks: chunks.map((text, ordinal) => {
      const start = texts
        .slice(0, Math.max(0, ordinal - 1))
        .reduce((sum, before) => sum + before.length + 2, 0)
      return { text, start: ordinal === 0 ? 0 : start, end: ordinal === 0 ? 0 : start + text.length }
    }),
  }
  return {
    type: 'PutItem',
    item,
    generation: sketch.generation ?? 0,
    content,
    vectors: vectorsOf(sketch, chunks),
  }
}

/** The change that overwrites an item; its place changes only if the sketch names a collection. */
export function replace(
  sketch: ItemSketch,
  previousIngest: string,
): Extract<CatalogChange, { type: 'ReplaceItem' }> {
  const { generation, type: _, ...rest } = put(sketch)
  const collection = sketch.collection === undefined ? null : { id: sketch.collection, generation }
  return { ...rest, type: 'ReplaceItem', collection, previousIngestId: uuid(previousIngest) }
}

/** The change that gives an ingest the vectors that the sketch's model makes of its chunks. */
export function reembed(sketch: ItemSketch): Extract<CatalogChange, { type: 'ReplaceVectors' }> {
  const { item, vectors } = put(sketch)
  const { accountId, mediaId, ingestId, revision } = item
  return { type: 'ReplaceVectors', accountId, mediaId, ingestId, revision, vectors }
}

/** A text as the test's embedder has it, or the other one. */
const embedded = (text: string, model: string): Float32Array =>
  model === OTHER_MODEL ? vector(`other ${text}`, 2 * DIMENSIONS) : vector(text)

/** A query's text, as both embedders have it. */
export const asked = (text: string): QueryVector[] =>
  [TEST_MODEL, OTHER_MODEL].map((model) => ({
    model,
    vector: embedded(text, model),
    cosineFloor: FLOORS[model as keyof typeof FLOORS],
  }))

/** A query as the test's embedder has it. */
export const askedFor = (vector: Float32Array, model = TEST_MODEL): QueryVector[] => [
  { model, vector, cosineFloor: FLOORS[TEST_MODEL] },
]

function vectorsOf(sketch: ItemSketch, chunks: readonly string[]): ItemVectors {
  const { model = TEST_MODEL } = sketch
  const vectors = sketch.vectors ?? chunks.map((text) => embedded(text, model))
  const sum = vectors[0]!.map((_, index) => vectors.reduce((total, one) => total + one[index]!, 0))
  const dimensions = vectors[0]!.length
  const combined = unit(sum)
  // Of as many dimensions as short vectors have, and with the angles of the combined ones.
  const short = Float32Array.from({ length: 64 }, (_, index) => combined[index] ?? 0)
  return { model, dimensions, combined, short, chunks: vectors }
}

const itemOf = (sketch: ItemSketch, chunks: number): CatalogItem => ({
  accountId: uuid(sketch.account ?? 'account'),
  mediaId: uuid(sketch.media),
  ingestId: uuid(sketch.ingest ?? `${sketch.media}/1`),
  mediaType: sketch.type ?? 'document',
  format: 'txt',
  filename: sketch.filename ?? `${sketch.media}.txt`,
  sizeBytes: 100,
  sha256: createHash('sha256').update(sketch.media).digest('hex'),
  collection: sketch.collection ?? 'default',
  createdAt: sketch.createdAt ?? 1_000,
  processedAt: 2_000,
  durationMs: 20,
  extraction: {
    format: 'txt',
    mediaType: sketch.type ?? 'document',
    title: null,
    author: sketch.author ?? null,
    language: 'en',
    sections: [],
    tables: [],
    figureCount: 0,
    facts: { mediaType: 'document', pageCount: 1, wordCount: 10 },
    truncated: false,
    warnings: [],
  },
  enrichment: {
    summary: '',
    description: '',
    topics: sketch.topics ?? [],
    keywords: sketch.keywords ?? [],
    categories: [],
    emotions: [],
    entities: {
      people: sketch.people ?? [],
      organizations: sketch.organizations ?? [],
      locations: [],
      objects: [],
      concepts: [],
    },
    quality: { clarity: 1, completeness: 1, relevance: 1, technical: 1 },
    model: 'test',
  },
  vectorCount: { hd: chunks + 1, ld: 1 },
  revision: sketch.revision ?? 1,
})
