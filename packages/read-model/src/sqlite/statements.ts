import type { StatementSync } from 'node:sqlite'
import type { DatabaseSource } from './source.ts'

/** Statements by their text, prepared once for each database that the source shows. */
export class Statements {
  readonly #source: DatabaseSource
  #epoch: number | null = null
  #prepared = new Map<string, StatementSync>()

  constructor(source: DatabaseSource) {
    this.#source = source
  }

  /** Of the database that the next statement is run on. */
  get epoch(): number {
    return this.#source.current().epoch
  }

  get(sql: string): StatementSync {
    const { database, epoch } = this.#source.current()
    if (epoch !== this.#epoch) {
      this.#epoch = epoch
      this.#prepared = new Map()
    }
    let statement = this.#prepared.get(sql)
    if (!statement) this.#prepared.set(sql, (statement = database.prepare(sql)))
    return statement
  }

  /** Runs `read` on one snapshot, so that what it reads in several statements belongs together. */
  snapshot<T>(read: () => T): T {
    const { database } = this.#source.current()
    database.exec('BEGIN')
    try {
      return read()
    } finally {
      // Some errors end the transaction by themselves: what they say must not be lost over that.
      if (database.isTransaction) database.exec('COMMIT')
    }
  }
}
