import type { Client } from '@elastic/elasticsearch'
import type { ItemVectors } from '@medialog/application/ports'
import type { Uuid } from '@medialog/kernel'
import { buckets } from './buckets.ts'
import { writeAll, type Write } from './bulk.ts'
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

interface Known {
  document: AnyDocument | null
  account: Uuid
  /** The log position it was written for. */
  version: number
}

/** Where an id is: its account tells the shard. */
export interface Place {
  id: string
  account: Uuid
}

/**
 * The documents that changes are about: as they are in the index, then as the changes leave them, until they are
 * written. Always whole ones: an update in part has no external version.
 */
export class DocumentsOfBatch {
  readonly #client: Client
  readonly #index: string
  readonly #known = new Map<string, Known>()
  readonly #changed = new Set<string>()
  /** Of items that came with them. */
  readonly #vectors = new Map<string, ItemVectors>()

  constructor(client: Client, index: string) {
    this.#client = client
    this.#index = index
  }

  /** Reads those that are not known yet. */
  async load(places: readonly Place[]): Promise<void> {
    const wanted = new Map(places.filter(({ id }) => !this.#known.has(id)).map((place) => [place.id, place]))
    const unknown = [...wanted.values()]
    for (let from = 0; from < unknown.length; from += AT_ONCE) {
      const part = unknown.slice(from, from + AT_ONCE)
      for (const [at, found] of (await this.#read(part)).entries()) {
        const { id, account } = part[at]!
        this.#known.set(id, { account, ...found })
      }
    }
  }

  /** As the changes so far left it. */
  async get<Document extends AnyDocument>(id: string, account: Uuid): Promise<Document | null> {
    await this.load([{ id, account }])
    return this.#known.get(id)!.document as Document | null
  }

  /** The log position that the document was written for; 0 where there is none. */
  versionOf(id: string): number {
    return this.#known.get(id)?.version ?? 0
  }

  put(id: string, document: AnyDocument, position: number): void {
    this.#known.set(id, { document, account: document.account, version: position })
    this.#changed.add(id)
  }

  putItem(item: ItemDocument, content: ContentDocument, vectors: ItemVectors, position: number): void {
    this.put(itemId(item.account, item.media), item, position)
    this.put(contentId(item.account, item.media), content, position)
    this.#vectors.set(itemId(item.account, item.media), vectors)
  }

  /** The latest generation of the collection that was seen, or 0. What was changed must have been written. */
  async latestGeneration(account: Uuid, collection: string): Promise<number> {
    await this.#client.indices.refresh({ index: this.#index })
    const filter = [{ term: { kind: 'collection' } }, { term: { account } }, { term: { collection } }]
    const { hits } = await this.#client.search<{ generation: number }>({
      index: this.#index,
      routing: account,
      size: 1,
      query: { bool: { filter } },
      sort: [{ generation: 'desc' }],
    })
    return hits.hits[0]?._source?.generation ?? 0
  }

  /** What is in the place now. What was changed must have been written. */
  async tally(account: Uuid, place: string): Promise<{ items: number; hd: number; ld: number }> {
    await this.#client.indices.refresh({ index: this.#index })
    const { hits, aggregations } = await this.#client.search<never, Record<'hd' | 'ld', { value: number }>>({
      index: this.#index,
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
    const request = { index: this.#index, routing: account, query: { bool: { filter } } }
    return (await buckets(this.#client, request, ['place'])).map(({ key }) => key.place)
  }

  /** Writes what changed, items as `prepared` leaves them. */
  async write(prepared: <D extends AnyDocument>(document: D) => D = (document) => document): Promise<void> {
    const ids = [...this.#changed]
    for (let from = 0; from < ids.length; from += AT_ONCE) {
      const part = ids.slice(from, from + AT_ONCE)
      await this.#loadVectors(part)
      await writeAll(
        this.#client,
        this.#index,
        part.map((id) => this.#write(id, prepared)),
      )
      // They may be large, and are in the index now.
      for (const id of part) this.#vectors.delete(id)
    }
    this.#changed.clear()
  }

  #write(id: string, prepared: <D extends AnyDocument>(document: D) => D): Write {
    const { document, account, version } = this.#known.get(id)!
    const left = prepared(document!)
    return {
      id,
      account,
      version,
      document: left.kind === 'item' ? indexed(left, this.#vectors.get(id)!) : left,
    }
  }

  /** Of items whose document is written again, for another place: their content holds them. */
  async #loadVectors(ids: readonly string[]): Promise<void> {
    const items = ids.flatMap((id) => {
      const { document } = this.#known.get(id)!
      return document?.kind === 'item' && !this.#vectors.has(id) ? [document] : []
    })
    if (items.length === 0) return
    const contents = await this.#read(
      items.map(({ account, media }) => ({ id: contentId(account, media), account })),
    )
    for (const [at, { account, media }] of items.entries()) {
      const content = contents[at]!.document
      if (content?.kind !== 'content') throw new Error(`the content of the item ${media} is not in the index`)
      this.#vectors.set(itemId(account, media), vectorsIn(content))
    }
  }

  async #read(places: readonly Place[]): Promise<Pick<Known, 'document' | 'version'>[]> {
    const { docs } = await this.#client.mget<AnyDocument>({
      index: this.#index,
      docs: places.map(({ id, account }) => ({
        _id: id,
        routing: account,
        _source: { excludes: WITHOUT_VECTORS },
      })),
    })
    return docs.map((found) => {
      if (!('found' in found) || !found.found) return { document: null, version: 0 }
      const document = found._source!
      return { document: document.kind === 'item' ? itemIn(document) : document, version: found._version! }
    })
  }
}
