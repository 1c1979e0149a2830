import { createHash } from 'node:crypto'
import type { OpenedSnapshot, ReadOptions } from '../snapshot.ts'
import type { ContentDocument, EndedDocument, ItemDocument } from './documents.ts'

/** By account, item and kind, the item's own before its content; each may be a megabyte. */
const HOW: ReadOptions = {
  pageSize: 20,
  sort: [{ account: 'asc' }, { media: 'asc' }, { kind: 'desc' }],
  _source: { excludes: ['short', 'c_*', 'chunks.v_*'] },
}

/**
 * Hex SHA-256 over everything that a reader can see. Left out is what depends on how much of the past was truncated
 * meanwhile: erasures, what ended collections once held, dead items not yet erased, positions.
 */
export async function digestOf(snapshot: OpenedSnapshot): Promise<string> {
  const ended = new Set<string>()
  for await (const { places } of snapshot.documents<EndedDocument>(['ended'], HOW))
    for (const place of places) ended.add(place)

  const hash = createHash('sha256')
  let shown: string | null = null
  for await (const document of snapshot.documents<ItemDocument | ContentDocument>(['item', 'content'], HOW)) {
    const { kind, account, media } = document
    const item = `${account}/${media}`
    if (kind === 'item') shown = ended.has(document.place) ? null : item
    if (item !== shown) continue
    // JSON tells any two of them apart.
    hash.update(JSON.stringify(kind === 'item' ? ofItem(document) : ofContent(document)))
  }
  return hash.digest('hex')
}

const ofItem = (item: ItemDocument): unknown[] => [
  item.account,
  item.media,
  item.ingest,
  item.place,
  item.type,
  item.model,
  item.space,
  item.createdAt,
  item.revision,
  item.hd,
  item.ld,
  item.bytes,
  item.labels,
  item.links,
  item.record,
  // The combined vector's has no text.
  item.chunks.map(({ ordinal, start, end, text, terms, length }) => [
    ordinal,
    start,
    end,
    text,
    terms,
    length,
  ]),
]

const ofContent = ({ ingest, text, model, dimensions, vectors }: ContentDocument): unknown[] => [
  ingest,
  text,
  model,
  dimensions,
  vectors.combined,
  vectors.short,
  vectors.chunks,
]
