import type { Condition, DocumentQueries, Found, Group, Kind, Where } from '../documents.ts'
import { buckets } from './buckets.ts'
import type { ReadModelName } from '@medialog/application/ports'
import { unavailableWhenAway } from './connection.ts'
import { placeOf, type StoredDocument } from './documents.ts'
import { collected, everything, readPage } from './pages.ts'
import type { Query } from './query.ts'
import { readerOf, type ReaderOptions } from './reader.ts'

/** What one `terms` may hold: `index.max_terms_count`. */
const TERMS = 65_536

/** Reads the documents of a read model in Elasticsearch. */
export function openIndexDocuments(options: ReaderOptions, name: ReadModelName): DocumentQueries {
  const { client, index, get, position } = readerOf(options, name)

  const queryOf = <D extends object>(kind: Kind<D>, where: Where<D>): Query => ({
    bool: { filter: [{ term: { kind: kind.name } }, ...conditionsOf(kind, where)] },
  })
  const wanted = <D extends object>(kind: Kind<D>, { where, sort }: Found<D>) => ({
    index,
    query: queryOf(kind, where),
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

    async count(kind, where) {
      const { count } = await client.count({ index, query: queryOf(kind, where) })
      return count
    },

    async group<D extends object, F extends keyof D & string>(
      kind: Kind<D>,
      { where, by, sum, max }: { where: Where<D>; by: readonly F[]; sum?: string; max?: string },
    ) {
      const fieldOf = (field: string): string => `${kind.name}.${field}`
      type Bucket = { doc_count: number; added?: { value: number }; most?: { value: number | null } }
      const found = await buckets<Bucket, string>(
        client,
        { index, query: queryOf(kind, where) },
        by.map(fieldOf),
        {
          ...(sum !== undefined && { added: { sum: { field: fieldOf(sum) } } }),
          ...(max !== undefined && { most: { max: { field: fieldOf(max) } } }),
        },
      )
      return found.map(({ key, doc_count: count, added, most }): Group<D, F> => ({
        key: Object.fromEntries(by.map((field) => [field, key[fieldOf(field)]])) as Pick<D, F>,
        count,
        sum: added?.value ?? 0,
        max: most?.value ?? null,
      }))
    },

    position,
  })
}

const conditionsOf = <D extends object>({ name }: Kind<D>, where: Where<D>): Query[] =>
  Object.entries(where as { [field: string]: Condition }).map(([field, condition]) =>
    conditionOf(`${name}.${field}`, condition),
  )

function conditionOf(field: string, condition: Condition): Query {
  if (condition === null) return { bool: { must_not: { exists: { field } } } }
  if (typeof condition !== 'object') return { term: { [field]: condition } }
  if ('in' in condition)
    return condition.in.length === 0
      ? { match_none: {} }
      : { bool: { should: anyOf(field, condition.in), minimum_should_match: 1 } }
  if ('notIn' in condition) return { bool: { must_not: anyOf(field, condition.notIn) } }
  return { range: { [field]: condition } }
}

function anyOf(field: string, values: readonly string[]): Query[] {
  const queries: Query[] = []
  for (let from = 0; from < values.length; from += TERMS)
    queries.push({ terms: { [field]: values.slice(from, from + TERMS) } })
  return queries
}
