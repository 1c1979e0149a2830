import type {
  AdvancedAnswer,
  AdvancedQuery,
  SearchQuery,
  SimilarAnswer,
  SimilarQuery,
} from '@medialog/application/ports'
import { Tally, type LogPosition, type Uuid } from '@medialog/kernel'
import type { DatabaseSync } from 'node:sqlite'
import { Analyzer } from '../../analysis/analyzer.ts'
import { retrieveAdvanced } from '../../search/advanced.ts'
import type { ItemIndex } from '../../search/item-index.ts'
import { retrieve, scoreAhead, type FoundItem } from '../../search/retrieve.ts'
import { retrieveSimilar } from '../../search/similar.ts'
import type { VectorMemory } from '../../search/vector-memory.ts'
import type { DatabaseSource } from '../source.ts'
import { IndexCache } from './index-cache.ts'
import type { Found } from './preparing.ts'
import { prepareRows, type Rows } from './rows.ts'

/** What a query is answered from, as of one moment. */
interface Snapshot {
  index: ItemIndex
  rows: Rows
  /** Living collections: key of the generation to name. */
  names: ReadonlyMap<number, string>
}

/**
 * Search over the catalog's rows, on the thread it is called on. An answer is null where the account's index is still
 * being made: ask again, after others if there are any.
 */
export class Searcher {
  readonly #source: DatabaseSource
  readonly #analyzer = new Analyzer()
  readonly #cache: IndexCache
  #prepared: { rows: Rows; epoch: number } | null = null

  /**
   * `budgetBytes`: memory that the indexes of all accounts may take together. `sliceMs`: for how long an index is made
   * before other queries have their turn.
   */
  constructor(source: DatabaseSource, budgetBytes: number, sliceMs = 10, memory?: VectorMemory) {
    this.#source = source
    this.#cache = new IndexCache(budgetBytes, sliceMs, memory)
  }

  /** Up to where the log was applied. */
  position(): LogPosition {
    return this.#read((rows) => rows.position())
  }

  /** Scores the words of a query that is on its way, where the account's index is at hand. */
  announce(accountId: Uuid, text: string): void {
    const index = this.#cache.at(accountId)
    if (index) scoreAhead(index, this.#analyzer.query(text))
  }

  search(query: SearchQuery): Found | null {
    return this.#answer(query.accountId, false, ({ index, rows, names }) => {
      const words = this.#analyzer.query(query.text)
      const { hits, total, places } = retrieve(index, query, words, placesNamed(names, query.collections))
      return { hits: hits.map((hit) => quoted(hit, rows)), total, distribution: distributed(places, names) }
    })
  }

  advanced(query: AdvancedQuery): AdvancedAnswer | null {
    return this.#answer(query.accountId, true, ({ index, rows, names }) => {
      const words = this.#analyzer.query(query.text)
      const { hits, places, ...found } = retrieveAdvanced(
        index,
        query,
        words,
        placesNamed(names, query.collections),
      )
      return {
        ...found,
        hits: hits.map((hit) => quoted(hit, rows)),
        distribution: distributed(places, names),
      }
    })
  }

  /** Found is null where there is no such item. */
  similar(query: SimilarQuery): { found: SimilarAnswer | null } | null {
    return this.#answer(query.accountId, false, ({ index, names }) => {
      const similar = retrieveSimilar(index, query, placesNamed(names, query.collections))
      if (!similar) return { found: null }
      const { places, ...found } = similar
      return { found: { ...found, distribution: distributed(places, names) } }
    })
  }

  #answer<Answer>(accountId: string, linked: boolean, work: (snapshot: Snapshot) => Answer): Answer | null {
    return this.#read((rows) => {
      const index = this.#cache.advance(rows, accountId, linked)
      return index && work({ index, rows, names: rows.places(accountId) })
    })
  }

  /** One snapshot of the rows. */
  #read<T>(work: (rows: Rows) => T): T {
    const { database, epoch } = this.#source.current()
    try {
      return this.#onSnapshot(database, epoch, work)
    } catch (error) {
      throw this.#source.failure(epoch, error)
    }
  }

  #onSnapshot<T>(database: DatabaseSync, epoch: number, work: (rows: Rows) => T): T {
    if (this.#prepared?.epoch !== epoch) {
      // Rows of another build have other keys.
      this.#cache.clear()
      this.#prepared = { rows: prepareRows(database), epoch }
    }
    database.exec('BEGIN')
    try {
      return work(this.#prepared.rows)
    } finally {
      if (database.isTransaction) database.exec('COMMIT')
    }
  }
}

function placesNamed(
  names: ReadonlyMap<number, string>,
  wanted: readonly string[] | null,
): Set<number> | null {
  if (!wanted) return null
  return new Set(names.entries().flatMap(([place, name]) => (wanted.includes(name) ? [place] : [])))
}

function quoted<Hit extends FoundItem>({ row, chunk, ...hit }: Hit, rows: Rows) {
  return { ...hit, passage: { text: rows.passage(row, chunk), chunk } }
}

function distributed(
  places: ReadonlyMap<number, number>,
  names: ReadonlyMap<number, string>,
): Found['distribution'] {
  const distribution = new Tally()
  for (const [place, count] of places) distribution.add(names.get(place)!, count)
  return distribution.toObject()
}
