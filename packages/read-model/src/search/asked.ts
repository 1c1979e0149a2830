import type { QueryVector } from '@medialog/application/ports'
import type { Columns } from './columns.ts'
import type { ItemIndex, Space } from './item-index.ts'
import { semanticScore } from './scorer.ts'
import { boundCosines, measureItems, scoreCosines, type ToBound } from './cosines.ts'
import type { Vectors } from './vectors.ts'

/** Whether the vector is comparable with those of the space. */
export const isOfSpace = ({ model, vector }: QueryVector, { model: own, vectors }: Space): boolean =>
  model === own && vector.length === vectors.dimensions

/** A query's vector with the space it is compared in. */
export interface AskedSpace extends QueryVector {
  space: Space
  /** Place among the index's spaces. */
  place: number
}

/**
 * What is asked of each space of an index. Vectors of different embedders never meet: an item is compared with the
 * query as its own embedder has it, and one whose embedder was not asked is near nothing.
 */
export class Asked {
  readonly spaces: readonly AskedSpace[]
  readonly #index: ItemIndex
  /** By place of the space. */
  readonly #asked: (AskedSpace | undefined)[] = []

  constructor(index: ItemIndex, vectors: readonly QueryVector[]) {
    this.#index = index
    this.spaces = index.spaces.flatMap((space, place) => {
      const of = vectors.find((one) => isOfSpace(one, space))
      return of && space.items > 0 ? [{ ...of, space, place }] : []
    })
    for (const asked of this.spaces) this.#asked[asked.place] = asked
  }

  /** Those of the items that are in the space. */
  #itemsIn({ place }: AskedSpace, items: Uint32Array): Uint32Array {
    return this.#isOnlySpace() ? items : items.filter((item) => this.#index.spaceOf[item] === place)
  }

  /** Those of the items marked that are in the space. */
  markedIn({ place }: AskedSpace, marks: Uint8Array): Uint8Array {
    if (this.#isOnlySpace()) return marks
    return marks.map((mark, item) => (mark === 1 && this.#index.spaceOf[item] === place ? 1 : 0))
  }

  /** Measures the signatures of the items listed. */
  measure(items: Uint32Array, columns: Columns): void {
    this.#inEach((vectors, of) => measureItems(this.#index, vectors, of(items), columns))
  }

  /** Writes the best cosine of each of the items listed. */
  scoreCosines(items: Uint32Array, columns: Columns): void {
    this.#inEach((vectors, of) => scoreCosines(this.#index, vectors, of(items), columns))
  }

  /** Writes between what the best cosine of each of the items listed lies; they have been measured. */
  boundCosines({ near, others }: ToBound, columns: Columns): void {
    this.#inEach((vectors, of) =>
      boundCosines(this.#index, vectors, { near: of(near), others: of(others) }, columns),
    )
  }

  #inEach(visit: (vectors: Vectors, of: (items: Uint32Array) => Uint32Array) => void): void {
    for (const asked of this.spaces) {
      asked.space.vectors.ask(asked.vector)
      visit(asked.space.vectors, (items) => this.#itemsIn(asked, items))
    }
  }

  /**
   * How near an item is, not clamped: comparable with any other, whatever embedder has either. Null where no vector
   * of the query is of its space.
   */
  nearness(item: number, { cosines }: Columns): number | null {
    const asked = this.#of(item)
    return asked ? (cosines[item]! - asked.cosineFloor) / (1 - asked.cosineFloor) : null
  }

  /** The semantic score of a cosine of the item's. */
  semantic(item: number, cosine: number): number {
    const asked = this.#of(item)
    return asked ? semanticScore(cosine, asked.cosineFloor) : 0
  }

  /** Makes the query what the vectors of the item's space are compared with; false where its embedder was not asked. */
  ask(item: number): boolean {
    const asked = this.#of(item)
    asked?.space.vectors.ask(asked.vector)
    return asked !== undefined
  }

  #of(item: number): AskedSpace | undefined {
    return this.#asked[this.#index.spaceOf[item]!]
  }

  #isOnlySpace(): boolean {
    return this.#index.spaces.length === 1
  }
}
