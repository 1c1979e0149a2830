import type { CatalogChange } from '@medialog/application/ports'
import type { IndexDefinition } from '../definition.ts'
import { CatalogIndex } from './content.ts'
import { properties, settings } from './mapping.ts'

/** Items with text, metadata and vectors; collections and what ended. */
export const catalogIndex: IndexDefinition<CatalogChange> = {
  name: 'catalog',
  version: 2,
  servesFrom: 1,
  settings,
  properties,
  contentOf: (client, index) => new CatalogIndex(client, index),
}
