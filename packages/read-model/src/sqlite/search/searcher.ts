import type { SearchAnswer, SearchQuery } from '@medialog/application/ports'
import type { LogPosition } from '@medialog/kernel'
import type { DatabaseSync } from 'node:sqlite'
import { Analyzer } from '../../analysis/analyzer.ts'
import { retrieve, type Found } from '../../search/retrieve.ts'
import type { DatabaseSource } from '../source.ts'
import { IndexCache } from './index-cache.ts'
import { prepareRows, type Rows } from './rows.ts'

/** Search over the catalog's rows, on the thread it is called on. */
export class Searcher {
  readonly #source: DatabaseSource
  readonly #analyzer = new Analyzer()
  readonly #cache: IndexCache
  #prepared: { rows: Rows; epoch: number } | null = null

  /**
   * `budgetBytes`: memory that the indexes of all accounts may take together. `sliceMs`: for how long an index is made
   * before other queries have their turn.
   */
  constructor(source: DatabaseSource, budgetBytes: number, sliceMs = 10) {
    this.#source = source
    this.#cache = new IndexCache(budgetBytes, sliceMs)
  }

  /** Up to where the log was applied. */
  position(): LogPosition {
    return this.#read((rows) => rows.position())
  }

  /** The answer; null where the account's index is still being made: ask again, after others if there are any. */
  search(query: SearchQuery): SearchAnswer | null {
    return this.#read((rows) => {
      const index = this.#cache.advance(rows, query.accountId, query.vector.length)
      if (!index) return null
      const names = rows.places(query.accountId)
      const words = this.#analyzer.query(query.text)
      return answerOf(retrieve(index, query, words, placesNamed(names, query.collections)), rows, names)
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

function answerOf(
  { hits, total, places }: Found,
  rows: Rows,
  names: ReadonlyMap<number, string>,
): SearchAnswer {
  const distribution: SearchAnswer['distribution'] = {}
  for (const [place, count] of places) {
    const name = names.get(place)!
    distribution[name] = (distribution[name] ?? 0) + count
  }
  return {
    hits: hits.map(({ row, chunk, ...hit }) => ({
      ...hit,
      passage: { text: rows.passage(row, chunk), chunk },
    })),
    total,
    distribution,
  }
}
