import type { CatalogItem, ItemVectors } from '@medialog/application/ports'

/** What of an item has columns of its own; the rest travels as JSON in `record`. */
export interface ItemRow {
  account_id: string
  media_id: string
  ingest_id: string
  media_type: CatalogItem['mediaType']
  name: string
  created_at: number
  revision: number
  hd: number
  ld: number
  record: string
}

/** What of an item is in its row of `record`, as JSON. */
export type Rest = Omit<
  CatalogItem,
  'accountId' | 'mediaId' | 'ingestId' | 'mediaType' | 'collection' | 'createdAt' | 'revision' | 'vectorCount'
>

export function recordOf(item: CatalogItem): string {
  const { format, filename, sizeBytes, sha256, processedAt, durationMs, extraction, enrichment } = item
  const rest: Rest = { format, filename, sizeBytes, sha256, processedAt, durationMs, extraction, enrichment }
  return JSON.stringify(rest)
}

export const itemOf = (row: ItemRow): CatalogItem => ({
  ...(JSON.parse(row.record) as Rest),
  accountId: row.account_id,
  mediaId: row.media_id,
  ingestId: row.ingest_id,
  mediaType: row.media_type,
  collection: row.name,
  createdAt: row.created_at,
  revision: row.revision,
  vectorCount: { hd: row.hd, ld: row.ld },
})

/** The vectors one after the other, as they lie in memory. */
export function bytesOf(vectors: readonly Float32Array[], dimensions: number): Uint8Array {
  const all = new Float32Array(vectors.length * dimensions)
  vectors.forEach((vector, index) => all.set(vector, index * dimensions))
  return new Uint8Array(all.buffer)
}

export interface VectorRow {
  model: string
  dimensions: number
  combined: Uint8Array
  short: Uint8Array
  chunks: Uint8Array | null
}

export function vectorsOf(row: VectorRow): ItemVectors {
  const chunks = row.chunks ? floats(row.chunks) : new Float32Array()
  return {
    model: row.model,
    dimensions: row.dimensions,
    combined: floats(row.combined),
    short: floats(row.short),
    chunks: Array.from({ length: chunks.length / row.dimensions }, (_, index) =>
      chunks.slice(index * row.dimensions, (index + 1) * row.dimensions),
    ),
  }
}

export const floats = (bytes: Uint8Array): Float32Array =>
  bytes.byteOffset % 4 === 0
    ? new Float32Array(bytes.buffer, bytes.byteOffset, bytes.byteLength / 4)
    : new Float32Array(bytes.slice().buffer)
