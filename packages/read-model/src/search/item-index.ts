import { MEDIA_TYPES, type MediaType, type Uuid } from '@medialog/kernel'
import { readEntry, chunkCount } from './entry.ts'
import { MOST_SLOTS, Postings } from './postings.ts'
import { encodedBytes } from './fixed-point.ts'
import { Links } from './links.ts'
import { lengthNorm } from './scorer.ts'
import { grown } from './typed-arrays.ts'
import type { VectorMemory } from './vector-memory.ts'
import { Vectors } from './vectors.ts'

/** An item as its rows have it. */
export interface ItemToIndex {
  mediaId: Uuid
  /** Surrogate key of its row: where its passages are read. */
  row: number
  revision: number
  mediaType: MediaType
  /** Surrogate key of its collection's generation. */
  place: number
  createdAt: number
  /** See entry.ts. */
  entry: Uint8Array
  /** The embedder of its vectors. */
  model: string
  dimensions: number
  /** Those of the chunks in their order, then the combined one: see fixed-point.ts. */
  vectors: Uint8Array
}

/** The vectors of one embedder: comparable with each other and with nothing else. */
export interface Space {
  model: string
  vectors: Vectors
  /** Live ones. */
  items: number
}

class IndexFull extends Error {}

const STALE_SLOTS = 4096

/**
 * Everything search knows of one account's items, in memory: columns by item, columns by slot, postings, vectors.
 * An item is numbered when it comes and owns consecutive slots: one a chunk, then one for its combined vector. What
 * is removed only stops being live; its slots are lost until the index is rebuilt.
 */
export class ItemIndex {
  /** One an embedder, numbered as they come. */
  readonly spaces: Space[] = []
  readonly postings = new Postings()
  readonly labels = new Postings()
  /** Empty until connections are asked for. */
  readonly links: Links
  /** By item. */
  readonly mediaIds: Uuid[] = []
  rows = new Float64Array()
  revisions = new Float64Array()
  types = new Uint8Array()
  /** Place among `placeKeys`. */
  places = new Uint32Array()
  createdAt = new Float64Array()
  /** Place among `spaces`. */
  spaceOf = new Uint16Array()
  live = new Uint8Array()
  /** An item's slots are `[firstSlot, endSlot)`, the last of them its combined vector. */
  firstSlot = new Uint32Array()
  endSlot = new Uint32Array()
  /** Where slots of one space follow those of another: its place among `spaces`, and the first of them. */
  readonly runs: { place: number; first: number }[] = []
  /** By slot. `open`: whether it is a live item's. */
  itemOf = new Uint32Array()
  lengths = new Uint32Array()
  open = new Uint8Array()
  /** Surrogate keys of the collections' generations that items are or were in. */
  readonly placeKeys: number[] = []
  slots = 0
  liveItems = 0
  /** Statistics over the chunks of live items. */
  chunks = 0
  length = 0
  readonly #numbers = new Map<Uuid, number>()
  readonly #placeNumbers = new Map<number, number>()
  #norms: Float32Array | null = null
  #deadSlots = 0
  readonly #memory: VectorMemory

  constructor(memory: VectorMemory) {
    this.#memory = memory
    this.links = new Links(memory)
  }

  get items(): number {
    return this.mediaIds.length
  }

  /** Whether so much of it is dead that rebuilding it pays off. */
  get isStale(): boolean {
    return this.#deadSlots > STALE_SLOTS && this.#deadSlots * 4 > this.slots
  }

  get hasDead(): boolean {
    return this.#deadSlots > 0
  }

  /** Adds the item or puts it in place of an earlier revision; the same revision again only changes its place. */
  put(item: ItemToIndex): void {
    const known = this.#numbers.get(item.mediaId)
    if (known !== undefined && this.revisions[known] === item.revision) {
      this.places[known] = this.#placeOf(item.place)
      return
    }
    if (known !== undefined) this.#bury(known)
    this.#add(item)
  }

  /** Removes the item unless a later revision is here. */
  remove(mediaId: Uuid, revision: number): void {
    const known = this.#numbers.get(mediaId)
    if (known !== undefined && this.revisions[known]! <= revision) this.#bury(known)
  }

  /** The number of the living item, or null. */
  numberOf(mediaId: Uuid): number | null {
    return this.#numbers.get(mediaId) ?? null
  }

  removePlace(key: number): void {
    const place = this.#placeOf(key)
    for (let item = 0; item < this.items; item++) {
      if (this.live[item] === 1 && this.places[item] === place) this.#bury(item)
    }
  }

  /** To be called when a batch of changes is over. */
  settle(): void {
    this.postings.settle()
    this.labels.settle()
  }

  /** What BM25 makes of each slot's length: another array after any change to items, whatever is left of them. */
  norms(): Float32Array {
    if (!this.#norms) {
      const average = this.chunks > 0 ? this.length / this.chunks : 0
      const perWord = lengthNorm(1, average) - lengthNorm(0, average)
      const empty = lengthNorm(0, average)
      this.#norms = new Float32Array(this.slots)
      for (let slot = 0; slot < this.slots; slot++) this.#norms[slot] = empty + perWord * this.lengths[slot]!
    }
    return this.#norms
  }

  get bytes(): number {
    const vectors = this.spaces.reduce((sum, space) => sum + space.vectors.bytes, 0)
    const columns = this.items * (8 * 3 + 4 + 2 + 2 + 8 + 150) + this.slots * (4 + 4 + 1 + 4 + 4)
    return columns + this.postings.bytes + this.labels.bytes + vectors + this.links.bytes
  }

  release(): void {
    for (const { vectors } of this.spaces) vectors.release()
    this.links.release()
  }

  #placeOf(key: number): number {
    const known = this.#placeNumbers.get(key)
    if (known !== undefined) return known
    const place = this.placeKeys.push(key) - 1
    this.#placeNumbers.set(key, place)
    return place
  }

  /** The vectors that the item's are among. */
  vectorsOf(item: number): Vectors {
    return this.spaces[this.spaceOf[item]!]!.vectors
  }

  #spaceOf({ model, dimensions }: ItemToIndex): number {
    const known = this.spaces.findIndex(
      (space) => space.model === model && space.vectors.dimensions === dimensions,
    )
    if (known >= 0) return known
    return this.spaces.push({ model, vectors: new Vectors(this.#memory, dimensions), items: 0 }) - 1
  }

  #add(source: ItemToIndex): void {
    const item = this.mediaIds.push(source.mediaId) - 1
    const first = this.slots
    const chunks = chunkCount(source.entry)
    if (first + chunks >= MOST_SLOTS)
      throw new IndexFull('more chunks in one account than the index can number')
    this.#makeRoom(item + 1, first + chunks + 1)
    this.#numbers.set(source.mediaId, item)
    this.rows[item] = source.row
    this.revisions[item] = source.revision
    this.types[item] = MEDIA_TYPES.indexOf(source.mediaType)
    this.places[item] = this.#placeOf(source.place)
    this.createdAt[item] = source.createdAt
    this.live[item] = 1
    const place = this.#spaceOf(source)
    this.spaceOf[item] = place
    if (this.runs.at(-1)?.place !== place) this.runs.push({ place, first })
    this.firstSlot[item] = first
    this.endSlot[item] = this.slots = first + chunks + 1
    this.itemOf.fill(item, first, this.slots)
    this.open.fill(1, first, this.slots)
    this.#addEntry(item, first, source.entry)
    this.#addVectors(item, source)
    this.liveItems++
    this.chunks += chunks
    this.#norms = null
  }

  #addEntry(item: number, first: number, entry: Uint8Array): void {
    readEntry(entry, {
      chunk: (ordinal, length) => {
        this.lengths[first + ordinal] = length
        this.length += length
      },
      term: (ordinal, low, high, frequency) => this.postings.add(low, high, first + ordinal, frequency),
      label: (low, high) => this.labels.add(low, high, item, 1),
    })
  }

  #addVectors(item: number, { dimensions, vectors }: ItemToIndex): void {
    const first = this.firstSlot[item]!
    const space = this.spaces[this.spaceOf[item]!]!
    const size = encodedBytes(dimensions)
    if (vectors.byteLength !== (this.slots - first) * size)
      throw new RangeError('an item has not as many vectors as chunks')
    for (let slot = first; slot < this.slots; slot++) {
      const at = (slot - first) * size
      space.vectors.set(slot, vectors.subarray(at, at + size))
    }
    space.items++
  }

  #bury(item: number): void {
    const first = this.firstSlot[item]!
    const end = this.endSlot[item]!
    this.#numbers.delete(this.mediaIds[item]!)
    this.live[item] = 0
    this.open.fill(0, first, end)
    this.liveItems--
    this.chunks -= end - first - 1
    const space = this.spaces[this.spaceOf[item]!]!
    for (let slot = first; slot < end; slot++) {
      this.length -= this.lengths[slot]!
      space.vectors.set(slot, null)
    }
    // Nothing is compared in it any more.
    if (--space.items === 0) space.vectors.release()
    this.#deadSlots += end - first
    this.#norms = null
  }

  #makeRoom(items: number, slots: number): void {
    this.rows = grown(this.rows, items)
    this.revisions = grown(this.revisions, items)
    this.types = grown(this.types, items)
    this.places = grown(this.places, items)
    this.createdAt = grown(this.createdAt, items)
    this.spaceOf = grown(this.spaceOf, items)
    this.live = grown(this.live, items)
    this.firstSlot = grown(this.firstSlot, items)
    this.endSlot = grown(this.endSlot, items)
    this.itemOf = grown(this.itemOf, slots)
    this.lengths = grown(this.lengths, slots)
    this.open = grown(this.open, slots)
  }
}
