import type { CatalogItem, CollectionRecord } from '@medialog/application/ports'
import { Recent, type LogPosition, type Uuid } from '@medialog/kernel'
import type { Statements } from '../statements.ts'
import { readCollections } from './collections.ts'
import { itemOf, type ItemRow } from './record.ts'
import { ITEM, MODELS_OF } from './queries.ts'

/** About twenty megabytes: an item without its text is about two kilobytes. */
const MOST_ITEMS = 10_000
const MOST_ACCOUNTS = 200

/**
 * Items, accounts' collections and embedders as they were read, until `position` says that anything was written or another
 * database takes this one's place. What it answers belongs to all who asked.
 */
export class ReadCache {
  readonly #statements: Statements
  readonly #positionNow: () => LogPosition
  readonly #items = new Recent<string, CatalogItem>(MOST_ITEMS)
  readonly #collections = new Recent<Uuid, readonly CollectionRecord[]>(MOST_ACCOUNTS)
  readonly #models = new Recent<Uuid, readonly string[]>(MOST_ACCOUNTS)
  #position: LogPosition | null = null
  #epoch: number | null = null

  constructor(statements: Statements, position: () => LogPosition) {
    this.#statements = statements
    this.#positionNow = position
  }

  item(accountId: Uuid, mediaId: Uuid): CatalogItem | null {
    this.#forgetWhatMayHaveChanged()
    return this.#item(accountId, mediaId)
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
    const position = this.#positionNow()
    const { epoch } = this.#statements
    if (position === this.#position && epoch === this.#epoch) return
    this.#items.clear()
    this.#collections.clear()
    this.#models.clear()
    this.#position = position
    this.#epoch = epoch
  }
}
