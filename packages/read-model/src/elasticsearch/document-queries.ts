import type { Condition, DocumentQueries, Found, Kind } from '../documents.ts'
import type { ReadModelName } from '@medialog/application/ports'
import { unavailableWhenAway } from './connection.ts'
import { placeOf, type StoredDocument } from './documents.ts'
import { collected, everything, readPage } from './pages.ts'
import type { Query } from './query.ts'
import { readerOf, type ReaderOptions } from './reader.ts'

/** Reads the documents of a read model in Elasticsearch. */
export function openIndexDocuments(options: ReaderOptions, name: ReadModelName): DocumentQueries {
  const { client, index, get, position } = readerOf(options, name)

  const wanted = <D extends object>(kind: Kind<D>, { where, sort }: Found<D>) => ({
    index,
    query: { bool: { filter: [{ term: { kind: kind.name } }, ...filterOf(kind, where)] } },
    sort: sort.map(([field, way]) => ({ [`${kind.name}.${field}`]: way })),
    _source: [kind.name],
  })
  const documentOf = <D extends object>(kind: Kind<D>, stored: StoredDocument): D => stored[kind.name] as D

  return unavailableWhenAway<DocumentQueries>({
    async get(kind, id) {
      const stored = await get<StoredDocument>(placeOf(kind, id))
      return stored?.kind === kind.name ? documentOf(kind, stored) : null
    },

    async find(kind, { limit = Infinity, ...found }) {
      const all = await collected(everything<StoredDocument>(client, wanted(kind, found), { limit }))
      return all.map((stored) => documentOf(kind, stored))
    },

    async page(kind, found, page) {
      const { documents, total } = await readPage<StoredDocument>(client, wanted(kind, found), page)
      return { documents: documents.map((stored) => documentOf(kind, stored)), total }
    },

    position,
  })
}

const filterOf = <D extends object>({ name }: Kind<D>, where: Found<D>['where']): Query[] =>
  Object.entries(where as { [field: string]: Condition }).map(([field, condition]) =>
    typeof condition === 'object'
      ? { range: { [`${name}.${field}`]: condition } }
      : { term: { [`${name}.${field}`]: condition } },
  )
