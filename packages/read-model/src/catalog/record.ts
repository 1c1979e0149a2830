import type { CatalogContent, CatalogItem, ItemVectors } from '@medialog/application/ports'

/** What of an item is neither looked up nor counted by: kept as JSON, whatever the engine. */
export type Rest = Omit<
  CatalogItem,
  'accountId' | 'mediaId' | 'ingestId' | 'mediaType' | 'collection' | 'createdAt' | 'revision' | 'vectorCount'
>

export function recordOf(item: CatalogItem): string {
  const { format, filename, sizeBytes, sha256, processedAt, durationMs, extraction, enrichment } = item
  const rest: Rest = { format, filename, sizeBytes, sha256, processedAt, durationMs, extraction, enrichment }
  return JSON.stringify(rest)
}

/** The item that `recordOf` was made of, with what an engine keeps beside the record. */
export const itemOfRecord = (record: string, beside: Omit<CatalogItem, keyof Rest>): CatalogItem => ({
  ...(JSON.parse(record) as Rest),
  ...beside,
})

/** The vectors one after the other, as they lie in memory. */
export function bytesOf(vectors: readonly Float32Array[], dimensions: number): Uint8Array {
  const all = new Float32Array(vectors.length * dimensions)
  vectors.forEach((vector, index) => all.set(vector, index * dimensions))
  return new Uint8Array(all.buffer)
}

export const floats = (bytes: Uint8Array): Float32Array =>
  bytes.byteOffset % 4 === 0
    ? new Float32Array(bytes.buffer, bytes.byteOffset, bytes.byteLength / 4)
    : new Float32Array(bytes.slice().buffer)

/** An item's vectors as engines keep them, byte by byte. `chunks`: null where they were not asked for. */
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

/** Bytes of derived data of an item, for quota and usage: the same in every engine. */
export function derivedBytes(
  record: string,
  text: string,
  chunks: readonly Pick<CatalogContent['chunks'][number], 'text'>[],
  vectors: ItemVectors,
): number {
  const texts = chunks.reduce((sum, chunk) => sum + Buffer.byteLength(chunk.text), Buffer.byteLength(text))
  const numbers = vectors.chunks.length * vectors.dimensions + vectors.dimensions + vectors.short.length
  return Buffer.byteLength(record) + texts + numbers * Float32Array.BYTES_PER_ELEMENT + previewBytes(record)
}

/** Of the preview that is kept beside a record. Few records have one: the others are not parsed. */
function previewBytes(record: string): number {
  if (!record.includes('"preview":')) return 0
  const { facts } = (JSON.parse(record) as Rest).extraction
  return facts.mediaType === 'image' ? (facts.preview?.bytes ?? 0) : 0
}
