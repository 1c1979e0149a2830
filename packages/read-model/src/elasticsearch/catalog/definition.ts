import type { CatalogChange } from '@medialog/application/ports'
import type { IndexDefinition } from '../definition.ts'
import { CatalogIndex } from './content.ts'
import { properties, settings } from './mapping.ts'

/**
 * Items with text, metadata and vectors; collections and what ended. `shards`: of the builds that are made from now on. All
 * of one account is in one of them.
 */
export const catalogIndexOf = (shards: number): IndexDefinition<CatalogChange> => ({
  name: 'catalog',
  version: 2,
  servesFrom: 1,
  settings: { ...settings, number_of_shards: shards },
  properties,
  contentOf: (client, index) => new CatalogIndex(client, index),
})

export const catalogIndex = catalogIndexOf(1)
