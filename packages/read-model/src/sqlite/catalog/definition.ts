import type { CatalogChange } from '@medialog/application/ports'
import type { ReadModelDefinition } from '../definition.ts'
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
  compaction: {
    removedBytes: 'SELECT bytes FROM tombstone',
    whole: ['collection', 'erasure'],
    items: { table: 'item', key: 'id' },
    parts: { tables: ['record', 'content', 'chunk', 'vectors', 'entry'], of: 'item' },
  },
  prepare(database) {
    const apply = prepareChanges(database)
    return (changes) => {
      for (const { change, position } of changes) apply(change, position)
    }
  },
}
