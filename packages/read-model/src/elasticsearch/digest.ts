import { createHash } from 'node:crypto'
import type { Client, estypes } from '@elastic/elasticsearch'
import type { ContentDocument, EndedDocument, ItemDocument } from './documents.ts'

/** Documents at a time: each may be a megabyte. */
const PAGE = 20
/** Between two pages. */
const KEEP_ALIVE = '10m'

/** A build as it was when it was opened. */
export interface OpenedSnapshot {
  /** Its documents of these kinds, by account, item and kind, the item's own before its content. */
  documents<Document>(kinds: readonly string[]): AsyncIterable<Document>
  close(): Promise<void>
}

export async function openSnapshot(client: Client, index: string): Promise<OpenedSnapshot> {
  const { id } = await client.openPointInTime({ index, keep_alive: KEEP_ALIVE })
  return {
    async *documents<Document>(kinds: readonly string[]) {
      let after: estypes.SortResults | undefined
      for (;;) {
        const { hits } = await client.search<Document>({
          pit: { id, keep_alive: KEEP_ALIVE },
          size: PAGE,
          query: { terms: { kind: [...kinds] } },
          sort: [{ account: 'asc' }, { media: 'asc' }, { kind: 'desc' }],
          _source: { excludes: ['short', 'c_*', 'chunks.v_*'] },
          track_total_hits: false,
          ...(after && { search_after: after }),
        })
        for (const hit of hits.hits) yield hit._source as Document
        after = hits.hits.at(-1)?.sort
        if (hits.hits.length < PAGE) return
      }
    },
    async close() {
      await client.closePointInTime({ id })
    },
  }
}

/**
 * Hex SHA-256 over everything that a reader can see. Left out is what depends on how much of the past was truncated
 * meanwhile: erasures, what ended collections once held, dead items not yet erased, positions.
 */
export async function digestOf(snapshot: OpenedSnapshot): Promise<string> {
  const ended = new Set<string>()
  for await (const { places } of snapshot.documents<EndedDocument>(['ended']))
    for (const place of places) ended.add(place)

  const hash = createHash('sha256')
  let shown: string | null = null
  for await (const document of snapshot.documents<ItemDocument | ContentDocument>(['item', 'content'])) {
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
