import type { CatalogItem } from '@medialog/application/ports'
import type { Uuid } from '@medialog/kernel'
import type { Statements } from '../statements.ts'
import { itemOf, type ItemRow } from './record.ts'
import { ITEM } from './queries.ts'

/** A few megabytes: an item without its text is about two kilobytes. */
const MOST_ITEMS = 2_000
/** Changes with every commit of another connection: https://sqlite.org/pragma.html#pragma_data_version */
const DATA_VERSION = 'PRAGMA data_version'

/**
 * Items as they were read, until anything is written to the database or another takes its place: parsing an item's
 * record costs ten times as much as asking for the database's version. What it answers belongs to all who asked.
 */
export class ItemCache {
  readonly #statements: Statements
  readonly #items = new Map<string, CatalogItem>()
  #version: unknown = null
  #epoch: number | null = null

  constructor(statements: Statements) {
    this.#statements = statements
  }

  get(accountId: Uuid, mediaId: Uuid): CatalogItem | null {
    this.#forgetWhatMayHaveChanged()
    const key = `${accountId} ${mediaId}`
    const known = this.#items.get(key)
    if (known) return known
    const row = this.#statements.get(ITEM).get(accountId, mediaId)
    if (!row) return null
    const item = itemOf(row as unknown as ItemRow)
    if (this.#items.size >= MOST_ITEMS) this.#items.delete(this.#items.keys().next().value!)
    this.#items.set(key, item)
    return item
  }

  #forgetWhatMayHaveChanged(): void {
    const version = this.#statements.get(DATA_VERSION).get()!['data_version']
    const { epoch } = this.#statements
    if (version === this.#version && epoch === this.#epoch) return
    this.#items.clear()
    this.#version = version
    this.#epoch = epoch
  }
}
