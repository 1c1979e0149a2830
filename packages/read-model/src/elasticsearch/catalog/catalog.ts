import type { Client } from '@elastic/elasticsearch'
import {
  EngineUnavailable,
  type Catalog,
  type CatalogContent,
  type ItemVectors,
} from '@medialog/application/ports'
import type { Uuid } from '@medialog/kernel'
import { readCheckpoint } from '../checkpoint.ts'
import { collectionRecord, collectionRecords } from './collections.ts'
import { unavailableWhenAway } from '../connection.ts'
import {
  catalogItemOf,
  collectionId,
  contentId,
  endedId,
  ITEM_FIELDS,
  itemId,
  placeOf,
  vectorsIn,
  type AnyDocument,
  type CollectionDocument,
  type ContentDocument,
  type EndedDocument,
  type ItemDocument,
  type ItemFields,
} from './documents.ts'
import { embeddedItems, embeddingCounts } from './embeddings.ts'
import { livingItems } from './filters.ts'
import { aliasOf } from '../indices.ts'
import { listPage } from './listing.ts'
import { pendingErasures, type ErasuresDone } from './pending-erasures.ts'

export interface CatalogOptions {
  client: Client
  /** See openIndexStore. */
  prefix: string
  erasures: ErasuresDone
}

/** Items are read so many at a time. */
const AT_ONCE = 500
/** With their content, which may be a megabyte each. */
const CONTENTS_AT_ONCE = 16
/** The fields that are read of an item's two documents, besides those that show that they are of one ingest. */
const CONTENT = { item: ['chunks.text', 'chunks.start', 'chunks.end'], content: ['text'] }
const VECTORS = { item: [], content: ['model', 'dimensions', 'vectors'] }
const COMBINED = { item: [], content: ['model', 'dimensions', 'vectors.combined', 'vectors.short'] }
/** How often the two documents of an item are read again, where one of them is newer. */
const TRIES = 5

/** The catalog over Elasticsearch. Single items are read as they were written last, lists as of the last refresh. */
export function openElasticsearchCatalog({ client, prefix, erasures }: CatalogOptions): Catalog {
  const index = aliasOf(prefix, 'catalog')

  /** Of the items that are shown, in no order; `fields`: of their documents. */
  async function itemsShown<Fields>(
    account: Uuid,
    media: readonly Uuid[],
    fields: readonly string[],
  ): Promise<(Fields & { media: Uuid })[]> {
    const ids = [...new Set(media)]
    const shown: (Fields & { media: Uuid })[] = []
    for (let from = 0; from < ids.length; from += AT_ONCE) {
      const [ended, ...found] = await documents<(Fields & ItemFields) | EndedDocument>(account, [
        { id: endedId(account) },
        ...ids.slice(from, from + AT_ONCE).map((media) => ({ id: itemId(account, media), fields })),
      ])
      const places = new Set(ended && 'places' in ended ? ended.places : [])
      for (const item of found) if (item && 'ingest' in item && !places.has(item.place)) shown.push(item)
    }
    return shown
  }

  async function documents<Document>(
    account: Uuid,
    wanted: readonly { id: string; fields?: readonly string[] }[],
  ): Promise<(Document | null)[]> {
    const { docs } = await client.mget<Document>({
      index,
      docs: wanted.map(({ id, fields }) => ({
        _id: id,
        routing: account,
        ...(fields && { _source: [...fields] }),
      })),
    })
    return docs.map((found) => {
      if ('error' in found) throw new EngineUnavailable('elasticsearch', found.error.reason ?? 'no answer')
      return 'found' in found && found.found ? found._source! : null
    })
  }

  /** Items with their contents; of each item the two are of one ingest. */
  async function withContents(
    account: Uuid,
    media: readonly Uuid[],
    { item: ofItem, content: ofContent }: Record<'item' | 'content', readonly string[]>,
  ) {
    for (let attempt = 1; ; attempt++) {
      const items = await itemsShown<Pick<ItemDocument, 'ingest' | 'chunks'>>(account, media, [
        'ingest',
        'place',
        'media',
        ...ofItem,
      ])
      if (items.length === 0) return []
      const contents = await documents<ContentDocument | AnyDocument>(
        account,
        items.map(({ media }) => ({
          id: contentId(account, media),
          fields: ['kind', 'ingest', ...ofContent],
        })),
      )
      const both = items.flatMap((item, at) => {
        const content = contents[at]
        return content?.kind === 'content' && content.ingest === item.ingest ? [{ item, content }] : []
      })
      if (both.length === items.length) return both
      if (attempt === TRIES)
        throw new EngineUnavailable('catalog', 'An item is being written.', { retryAfterSeconds: 1 })
    }
  }

  return unavailableWhenAway<Catalog>({
    async item(account, media) {
      const [item] = await itemsShown<ItemFields>(account, [media], ITEM_FIELDS)
      return item ? catalogItemOf(item) : null
    },

    async content(account, media): Promise<CatalogContent | null> {
      const [found] = await withContents(account, [media], CONTENT)
      if (!found) return null
      // The combined vector's place has no text.
      const chunks = found.item.chunks.filter(({ text }) => text !== undefined)
      return {
        text: found.content.text,
        chunks: chunks.map(({ text, start, end }) => ({ text, start, end })),
      }
    },

    async vectors(account, media, which) {
      const found = new Map<Uuid, ItemVectors>()
      for (let from = 0; from < media.length; from += CONTENTS_AT_ONCE) {
        const part = media.slice(from, from + CONTENTS_AT_ONCE)
        for (const { item, content } of await withContents(
          account,
          part,
          which === 'all' ? VECTORS : COMBINED,
        )) {
          found.set(item.media, vectorsIn(content))
        }
      }
      return found
    },

    async items(account, media) {
      return (await itemsShown<ItemFields>(account, media, ITEM_FIELDS)).map(catalogItemOf)
    },

    list: (account, filter, page) => listPage(client, index, account, filter, page),
    collections: (account) => collectionRecords(client, index, account),
    collection: (account, collection) => collectionRecord(client, index, account, collection),

    async endedCollection(account, collection, generation) {
      const id = collectionId(placeOf(account, collection, generation))
      const [found] = await documents<CollectionDocument>(account, [{ id }])
      if (!found || found.ended === null) return null
      const { place, items, hd, ld } = found
      const { count: left } = await client.count({
        index,
        query: { bool: { filter: [{ term: { kind: 'item' } }, { term: { place } }] } },
      })
      return { items, hd, ld, left }
    },

    async storage(account) {
      const { aggregations } = await client.search<never, Record<'hd' | 'ld' | 'bytes', { value: number }>>({
        index,
        routing: account,
        size: 0,
        query: { bool: { filter: livingItems(index, account) } },
        aggs: {
          hd: { sum: { field: 'hd' } },
          ld: { sum: { field: 'ld' } },
          bytes: { sum: { field: 'bytes' } },
        },
      })
      const { hd, ld, bytes } = aggregations!
      return { vectors: hd.value + ld.value, bytes: bytes.value }
    },

    models: async (account) =>
      (await embeddingCounts(client, index, livingItems(index, account), account)).map(({ model }) => model),
    embeddings: () => embeddingCounts(client, index),
    embedded: (after, limit) => embeddedItems(client, index, after, limit),
    pendingErasures: (limit, accounts) => pendingErasures(client, index, erasures, limit, accounts),
    position: async () => (await readCheckpoint(client, index)).position,
  })
}
