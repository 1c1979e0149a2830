import { connectingLabels, type CatalogItem, type LabelKind } from '@medialog/application/ports'
import { termOf } from '../analysis/term.ts'
import { encodeVectors } from './fixed-point.ts'
import { Postings } from './postings.ts'
import { grown } from './typed-arrays.ts'
import type { VectorMemory } from './vector-memory.ts'
import { Vectors } from './vectors.ts'

/** What connections are made from, of one item. */
export interface LinkSource extends Pick<CatalogItem, 'filename' | 'extraction' | 'enrichment'> {
  short: Float32Array
}

/** Dimensions of the short vectors. */
const SHORT = 64

/** Of an index, by item number. */
export interface IndexedItems {
  readonly items: number
  /** 0: buried. */
  readonly live: ArrayLike<number>
  readonly rows: ArrayLike<number>
}

/**
 * What connects an account's items: the labels of each, and short vectors, by the item numbers of its index. Made when
 * first asked for and completed when items have come since; what an index has buried it leaves out of account.
 */
export class Links {
  readonly short: Vectors
  readonly postings = new Postings()
  /** By term: what kind of label it is. */
  readonly kinds: LabelKind[] = []
  /** Item `i` has the terms `[starts[i], starts[i + 1])`, in the order of its connecting labels. */
  #terms = new Uint32Array()
  #starts = new Uint32Array(1)
  #items = 0

  constructor(memory: VectorMemory) {
    this.short = new Vectors(memory, SHORT)
  }

  /**
   * Reads the items that came since, for as long as `mayGoOn`; answers whether all are there. `read`: of the row with
   * that key, which is there for every live item. @throws VectorMemoryFull
   */
  complete(index: IndexedItems, read: (row: number) => LinkSource, mayGoOn: () => boolean): boolean {
    while (this.#items < index.items) {
      const item = this.#items
      this.#add(item, index.live[item] === 1 ? read(index.rows[item]!) : null)
      if (!mayGoOn()) return this.#items === index.items
    }
    this.postings.settle()
    return true
  }

  /** The item's terms, one a connecting label. */
  termsOf(item: number): Uint32Array {
    return this.#terms.subarray(this.#starts[item], this.#starts[item + 1])
  }

  get bytes(): number {
    return this.short.bytes + this.postings.bytes + this.#terms.byteLength + this.#starts.byteLength
  }

  release(): void {
    this.short.release()
  }

  #add(item: number, source: LinkSource | null): void {
    const fits = source?.short.length === SHORT
    this.short.set(item, fits ? encodeVectors([source.short], SHORT) : null)
    const labels = source ? connectingLabels(source) : []
    const first = this.#starts[item]!
    this.#terms = grown(this.#terms, first + labels.length)
    for (const [place, { key, kind }] of labels.entries()) {
      const { low, high } = termOf(key)
      this.postings.add(low, high, item, 1)
      const term = this.postings.find(low, high)
      this.kinds[term] = kind
      this.#terms[first + place] = term
    }
    this.#starts = grown(this.#starts, item + 2)
    this.#starts[item + 1] = first + labels.length
    this.#items = item + 1
  }
}
