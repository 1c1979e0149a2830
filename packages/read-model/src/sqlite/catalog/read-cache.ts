import type { CatalogItem, CollectionRecord } from '@medialog/application/ports'
import { Recent, type Uuid } from '@medialog/kernel'
import type { Statements } from '../statements.ts'
import { readCollections } from './collections.ts'
import { itemOf, type ItemRow } from './record.ts'
import { ITEM, MODELS_OF } from './queries.ts'

/** About twenty megabytes: an item without its text is about two kilobytes. */
const MOST_ITEMS = 10_000
const MOST_ACCOUNTS = 200
/** Changes with every commit of another connection: https://sqlite.org/pragma.html#pragma_data_version */
const DATA_VERSION = 'PRAGMA data_version'

/**
 * Items, accounts' collections and embedders as they were read, until anything is written to the database or another
 * takes its place: parsing an item's record costs ten times as much as asking for the database's version. What it answers belongs
 * to all who asked.
 */
export class ReadCache {
  readonly #statements: Statements
  readonly #items = new Recent<string, CatalogItem>(MOST_ITEMS)
  readonly #collections = new Recent<Uuid, readonly CollectionRecord[]>(MOST_ACCOUNTS)
  readonly #models = new Recent<Uuid, readonly string[]>(MOST_ACCOUNTS)
  #version: unknown = null
  #epoch: number | null = null

  constructor(statements: Statements) {
    this.#statements = statements
  }

  /** The items that are there, in the order of their ids, each once. */
  items(accountId: Uuid, mediaIds: readonly Uuid[]): CatalogItem[] {
    this.#forgetWhatMayHaveChanged()
    return [...new Set(mediaIds)].flatMap((mediaId) => this.#item(accountId, mediaId) ?? [])
  }

  collections(accountId: Uuid): readonly CollectionRecord[] {
    this.#forgetWhatMayHaveChanged()
    const known = this.#collections.get(accountId)
    if (known) return known
    const collections = readCollections(this.#statements, accountId, null)
    this.#collections.set(accountId, collections)
    return collections
  }

  /** The embedders of the account's items, by name. */
  models(accountId: Uuid): readonly string[] {
    this.#forgetWhatMayHaveChanged()
    const known = this.#models.get(accountId)
    if (known) return known
    const rows = this.#statements.get(MODELS_OF).all(accountId)
    const models = rows.map(({ model }) => model as string)
    this.#models.set(accountId, models)
    return models
  }

  #item(accountId: Uuid, mediaId: Uuid): CatalogItem | null {
    const key = `${accountId} ${mediaId}`
    const known = this.#items.get(key)
    if (known) return known
    const row = this.#statements.get(ITEM).get(accountId, mediaId)
    if (!row) return null
    const item = itemOf(row as unknown as ItemRow)
    this.#items.set(key, item)
    return item
  }

  #forgetWhatMayHaveChanged(): void {
    const version = this.#statements.get(DATA_VERSION).get()!['data_version']
    const { epoch } = this.#statements
    if (version === this.#version && epoch === this.#epoch) return
    this.#items.clear()
    this.#collections.clear()
    this.#models.clear()
    this.#version = version
    this.#epoch = epoch
  }
}
