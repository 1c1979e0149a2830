import type { Uuid } from '@medialog/kernel'
import { ItemIndex } from '../../search/item-index.ts'
import { VectorMemory, VectorMemoryFull } from '../../search/vector-memory.ts'
import type { Cursor, Rows } from './rows.ts'

interface CachedIndex {
  index: ItemIndex
  /** The log position up to which removals show; once all is read, all that it shows. */
  position: number
  read: Cursor
  /** Whether its links are being made. */
  linking: boolean
}

const UNREAD = { position: 0, row: 0 }
/** Row of a cursor behind all rows of its position. */
const ALL_READ = Number.MAX_SAFE_INTEGER

/**
 * The accounts' indexes, made from rows when first asked for, a slice of time after the other, so that other accounts'
 * queries are answered in between, and brought up to date at every query. The one asked for
 * least recently goes when they take more than `budgetBytes` together.
 */
export class IndexCache {
  readonly #memory: VectorMemory
  readonly #budgetBytes: number
  readonly #sliceMs: number
  /** In the order of their last use. */
  readonly #indexes = new Map<Uuid, CachedIndex>()

  /** `sliceMs`: after how long `advance` reads no further item. */
  constructor(budgetBytes: number, sliceMs: number, memory = new VectorMemory()) {
    this.#memory = memory
    this.#budgetBytes = budgetBytes
    this.#sliceMs = sliceMs
  }

  /**
   * The account's index as of the rows' snapshot, with its links where `linked`; null where a slice of time was not enough to bring it there: call again, with a later snapshot if you like.
   * @throws VectorMemoryFull when it does not fit even alone
   */
  advance(rows: Rows, accountId: Uuid, linked = false): ItemIndex | null {
    const position = rows.position()
    let cached = this.#indexes.get(accountId)
    if (cached?.index.isStale) {
      this.#drop(accountId)
      cached = undefined
    }
    cached ??= { index: new ItemIndex(this.#memory), position: 0, read: UNREAD, linking: false }
    this.#indexes.delete(accountId)
    this.#indexes.set(accountId, cached)
    const { index, read } = cached
    // Many rows have the position of one event: a slice may have ended among them.
    const isRead = read.position >= position && read.row === ALL_READ
    if (isRead && !linked) return index
    try {
      const end = performance.now() + this.#sliceMs
      if (!isRead && !this.#catchUp(rows, accountId, cached, position, end)) return null
      if (linked) {
        cached.linking = !index.links.complete(index, rows.linkSource, () => performance.now() < end)
        if (cached.linking) return null
      }
    } catch (error) {
      const hadDead = index.hasDead
      // What was applied in part is of no use to anybody.
      this.#drop(accountId)
      if (!(error instanceof VectorMemoryFull)) throw error
      // Rebuilt without its dead slots it may fit.
      if (!hadDead && !this.#dropOldest(accountId)) throw error
      return null
    }
    this.#keepBudget(accountId)
    return index
  }

  /** The account's index as it was brought up to date last; null without one or while it is being made. */
  at(accountId: Uuid): ItemIndex | null {
    const cached = this.#indexes.get(accountId)
    return cached?.read.row === ALL_READ ? cached.index : null
  }

  clear(): void {
    for (const accountId of this.#indexes.keys()) this.#drop(accountId)
  }

  /**
   * Removals first: an item that went and came again is read with its last change. What changes while an index is
   * made has a later position than all that was read, so it is read again. Answers whether all is read.
   */
  #catchUp(rows: Rows, accountId: Uuid, cached: CachedIndex, position: number, end: number): boolean {
    const { index } = cached
    if (index.items > 0) {
      for (const place of rows.placesEnded(accountId, cached.position)) index.removePlace(place)
      for (const gone of rows.itemsGone(accountId, cached.position))
        index.remove(gone.media_id, gone.revision)
    }
    cached.position = position
    for (const { item, cursor } of rows.itemsChanged(accountId, cached.read)) {
      index.put(item)
      cached.read = cursor
      if (performance.now() >= end) return false
    }
    cached.read = { position, row: ALL_READ }
    index.settle()
    return true
  }

  #keepBudget(accountId: Uuid): void {
    const bytes = () => this.#indexes.values().reduce((sum, { index }) => sum + index.bytes, 0)
    while (bytes() > this.#budgetBytes && this.#dropOldest(accountId));
  }

  /**
   * Drops the index used least recently, but never that of `kept`, nor one that is still being made: two that do not
   * fit together would drop each other endlessly. Answers whether there was one.
   */
  #dropOldest(kept: Uuid): boolean {
    const oldest = this.#indexes
      .entries()
      .find(([accountId, { read, linking }]) => accountId !== kept && read.row === ALL_READ && !linking)
    if (oldest === undefined) return false
    this.#drop(oldest[0])
    return true
  }

  #drop(accountId: Uuid): void {
    this.#indexes.get(accountId)?.index.release()
    this.#indexes.delete(accountId)
  }
}
