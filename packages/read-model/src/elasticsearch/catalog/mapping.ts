import { createHash } from 'node:crypto'
import type { Client, estypes } from '@elastic/elasticsearch'
import { keyword, SETTINGS } from '../definition.ts'

/** Dimensions of the short vectors. */
export const SHORT = 64

/** Kept and given back, never looked into. */
const kept = { type: 'keyword', index: false, doc_values: false } as const

/**
 * One index is one build of the catalog; its documents are of several kinds, see documents.ts. Terms are made by the
 * analyzer of this package and come as tokens, so that a word is the same in every engine. Their similarity says how
 * often a term occurs and nothing else: the formulas are search's own, with the statistics of one account.
 */
export const settings: estypes.IndicesIndexSettings = {
  ...SETTINGS,
  // A chunk is a document of its own: the limits are on those of one item.
  mapping: { nested_objects: { limit: 100_000 }, total_fields: { limit: 2_000 } },
  similarity: { frequency: { type: 'scripted', script: { source: 'return query.boost * doc.freq;' } } },
  // What is removed leaves with the next forced merge, however little it is: see expunging.ts.
  merge: { policy: { expunge_deletes_allowed: 0 } } as estypes.IndicesMerge,
}

export const properties: Record<string, estypes.MappingProperty> = {
  kind: keyword,
  account: keyword,
  media: keyword,
  ingest: keyword,
  collection: keyword,
  generation: { type: 'integer' },
  place: keyword,
  type: keyword,
  model: keyword,
  space: keyword,
  createdAt: { type: 'long' },
  hd: { type: 'integer' },
  ld: { type: 'integer' },
  bytes: { type: 'long' },
  labels: keyword,
  links: keyword,
  short: { type: 'dense_vector', dims: SHORT, index: false },
  record: kept,
  position: { type: 'long' },
  ended: { type: 'long' },
  chunks: {
    type: 'nested',
    dynamic: false,
    properties: {
      ordinal: { type: 'integer' },
      length: { type: 'integer' },
      terms: {
        type: 'text',
        analyzer: 'whitespace',
        similarity: 'frequency',
        norms: false,
        index_options: 'freqs',
      },
      text: kept,
    },
  },
}

/** Vectors of one embedder are comparable with each other and nothing else: they have fields of their own. */
export interface Space {
  /** Of the chunks, in their documents; the last of an item is its combined vector. */
  chunks: string
  /** Of the item itself, its combined vector once more: for comparing all items. */
  combined: string
}

/** The name of a space, by embedder and length. */
export const spaceName = (model: string, dimensions: number): string =>
  createHash('sha256').update(`${model} ${dimensions}`).digest('hex').slice(0, 16)

export const spaceOf = (name: string): Space => ({ chunks: `chunks.v_${name}`, combined: `c_${name}` })

/**
 * The fields of a space. Similarity by inner product: vectors are of unit length. Quantised to a byte a dimension for
 * finding candidates; scores are of the vectors as they came.
 */
const spaceMappings = (name: string, dims: number): estypes.MappingTypeMapping => ({
  properties: {
    [spaceOf(name).combined]: { type: 'dense_vector', dims, index: false },
    chunks: {
      type: 'nested',
      properties: {
        [`v_${name}`]: {
          type: 'dense_vector',
          dims,
          index: true,
          similarity: 'max_inner_product',
          index_options: { type: 'int8_hnsw' },
        },
      },
    },
  },
})

/** Says how the vectors of a space are indexed; again is no harm. */
export async function addSpace(
  client: Client,
  index: string,
  name: string,
  dimensions: number,
): Promise<void> {
  await client.indices.putMapping({ index, ...spaceMappings(name, dimensions) })
}
