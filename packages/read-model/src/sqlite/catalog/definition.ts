import type { CatalogChange } from '@medialog/application/ports'
import { eachOf, type ReadModelDefinition } from '../definition.ts'
import { prepareChanges, prepareErasing } from './changes.ts'
import { digestQueries, schema } from './schema.ts'

/** Items, their content and vectors, collections, and what is still to be erased. */
export const catalogDefinition: ReadModelDefinition<CatalogChange> = {
  name: 'catalog',
  version: 4,
  servesFrom: 3,
  schema,
  digestQueries: new Map([['catalog', digestQueries]]),
  erases: ({ type }) => type === 'RemoveItem' || type === 'ReplaceItem' || type === 'EraseNames',
  prepareErasing,
  prepare: eachOf(prepareChanges),
}
