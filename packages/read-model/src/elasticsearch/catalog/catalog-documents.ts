import type { Client } from '@elastic/elasticsearch'
import type { ItemVectors } from '@medialog/application/ports'
import type { Uuid } from '@medialog/kernel'
import { buckets } from '../buckets.ts'
import { DocumentsOfBatch } from '../documents-of-batch.ts'
import type { Writing } from '../writing.ts'
import {
  contentId,
  indexed,
  itemId,
  itemIn,
  vectorsIn,
  type AnyDocument,
  type ContentDocument,
  type ItemDocument,
} from './documents.ts'

/** Content is read so many documents at a time: each may be a megabyte. */
const AT_ONCE = 32
const WITHOUT_VECTORS = ['short', 'c_*', 'chunks.v_*']

/** The catalog's documents that changes are about, all of one account in one shard. */
export class CatalogDocuments extends DocumentsOfBatch<AnyDocument> {
  /** Of items that came with them. */
  readonly #vectors = new Map<string, ItemVectors>()

  constructor(client: Client, index: string) {
    super(client, index, {
      atOnce: AT_ONCE,
      excludes: WITHOUT_VECTORS,
      decoded: (document) => (document.kind === 'item' ? itemIn(document) : document),
    })
  }

  putItem(item: ItemDocument, content: ContentDocument, vectors: ItemVectors, position: number): void {
    this.put(itemId(item.account, item.media), item.account, item, position)
    this.put(contentId(item.account, item.media), content.account, content, position)
    this.#vectors.set(itemId(item.account, item.media), vectors)
  }

  /** The latest generation of the collection that was seen, or 0. What was changed must have been written. */
  async latestGeneration(account: Uuid, collection: string): Promise<number> {
    await this.client.indices.refresh({ index: this.index })
    const filter = [{ term: { kind: 'collection' } }, { term: { account } }, { term: { collection } }]
    const { hits } = await this.client.search<{ generation: number }>({
      index: this.index,
      routing: account,
      size: 1,
      query: { bool: { filter } },
      sort: [{ generation: 'desc' }],
    })
    return hits.hits[0]?._source?.generation ?? 0
  }

  /** What is in the place now. What was changed must have been written. */
  async tally(account: Uuid, place: string): Promise<{ items: number; hd: number; ld: number }> {
    await this.client.indices.refresh({ index: this.index })
    const { hits, aggregations } = await this.client.search<never, Record<'hd' | 'ld', { value: number }>>({
      index: this.index,
      routing: account,
      size: 0,
      track_total_hits: true,
      query: { bool: { filter: [{ term: { kind: 'item' } }, { term: { place } }] } },
      aggs: { hd: { sum: { field: 'hd' } }, ld: { sum: { field: 'ld' } } },
    })
    const { value } = hits.total as { value: number }
    return { items: value, hd: aggregations!.hd.value, ld: aggregations!.ld.value }
  }

  /** Those of the places that hold anything, dead or alive. What was changed must have been written. */
  async holding(account: Uuid, places: readonly string[]): Promise<string[]> {
    if (places.length === 0) return []
    const filter = [{ term: { kind: 'item' } }, { terms: { place: [...places] } }]
    const request = { index: this.index, routing: account, query: { bool: { filter } } }
    return (await buckets(this.client, request, ['place'])).map(({ key }) => key.place)
  }

  /** Writes what changed, items as `prepared` leaves them; `last` as in `write`. */
  writeAll(writing: Writing, prepared: (document: AnyDocument) => AnyDocument, last: boolean): Promise<void> {
    return this.write(writing, {
      last,
      encode: async (documents) => {
        await this.#loadVectors(documents.filter(({ kind }) => kind === 'item') as ItemDocument[])
        return documents.map((document) => this.#indexed(prepared(document)))
      },
    })
  }

  #indexed(document: AnyDocument): object {
    if (document.kind !== 'item') return document
    const id = itemId(document.account, document.media)
    const written = indexed(document, this.#vectors.get(id)!)
    // They may be large, and are in the index next.
    this.#vectors.delete(id)
    return written
  }

  /** Of items whose document is written again, for another place: their content holds them. */
  async #loadVectors(documents: readonly ItemDocument[]): Promise<void> {
    const items = documents.filter(({ account, media }) => !this.#vectors.has(itemId(account, media)))
    if (items.length === 0) return
    const contents = await this.read(
      items.map(({ account, media }) => ({ id: contentId(account, media), routing: account })),
    )
    for (const [at, { account, media }] of items.entries()) {
      const content = contents[at]!.document
      if (content?.kind !== 'content') throw new Error(`the content of the item ${media} is not in the index`)
      this.#vectors.set(itemId(account, media), vectorsIn(content))
    }
  }
}
