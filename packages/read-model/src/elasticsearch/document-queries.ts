import {
  backwards,
  type Condition,
  type DocumentQueries,
  type Field,
  type FindOptions,
  type Found,
  type Group,
  type GroupOptions,
  type Kind,
  type Where,
} from '../documents.ts'
import { buckets } from './buckets.ts'
import type { StoreName } from '@medialog/application/ports'
import { readCheckpoint } from './checkpoint.ts'
import { isMissingIndex, statusOf, unavailableWhenAway } from './connection.ts'
import { placeOf, type StoredDocument } from './documents.ts'
import { aliasOf } from './indices.ts'
import { collected, everything, readPage } from './pages.ts'
import type { Query } from './query.ts'
import { refreshingOf } from './refreshing.ts'
import type { ReaderOptions } from './reader.ts'

/** A document by its id is on the path of every request. */
const SOON = { requestTimeout: 3_000 }
/** What one `terms` may hold: `index.max_terms_count`. */
const TERMS = 65_536

/** Reads the documents of a read model in Elasticsearch. */
export function openIndexDocuments({ client, prefix }: ReaderOptions, name: StoreName): DocumentQueries {
  const index = aliasOf(prefix, name)
  const refresh = refreshingOf(client, index)

  const queryOf = (kind: Kind, where: Where<string>): Query => ({
    bool: { filter: [{ term: { kind: kind.name } }, ...conditionsOf(kind, where)] },
  })
  const wanted = (kind: Kind, { where, sort }: Found<string>) => ({
    index,
    query: queryOf(kind, where),
    sort: sort.map(([field, way]) => ({ [`${kind.name}.${field}`]: way })),
    _source: [kind.name],
  })
  const documentOf = <D extends object>(kind: Kind<D>, stored: StoredDocument): D => stored[kind.name] as D

  async function find<D extends object>(kind: Kind<D>, options: FindOptions<string>): Promise<D[]> {
    await refresh()
    const { limit, after } = options
    const from = after && { search_after: [...after] }
    const all = everything<StoredDocument>(client, { ...wanted(kind, options), ...from }, { limit })
    return (await collected(all)).map((stored) => documentOf(kind, stored))
  }

  return unavailableWhenAway<DocumentQueries>({
    async get(kind, id) {
      try {
        const { _source } = await client.get<StoredDocument>({ index, ...placeOf(kind, id) }, SOON)
        return _source!.kind === kind.name ? documentOf(kind, _source!) : null
      } catch (error) {
        if (statusOf(error) === 404 && !isMissingIndex(error)) return null
        throw error
      }
    },

    find,

    findAll: (finds) => Promise.all(finds.map(({ kind, found }) => find(kind, found))),

    async lastOfEach(kind, { where, sort, by, within, step }) {
      await refresh()
      const field = `${kind.name}.${by}`
      const newestFirst = { where: { ...where, [by]: within }, sort: backwards(sort) }
      const { query, sort: newest, _source } = wanted(kind, newestFirst)
      const found = await buckets<LastBucket, string>(
        client,
        { index, query },
        [field],
        { last: { top_hits: { size: 1, sort: newest, _source } } },
        { [field]: step },
      )
      return found.map(({ last }) => documentOf(kind, last.hits.hits[0]!._source))
    },

    async page(kind, found, page) {
      await refresh()
      const { documents, total } = await readPage<StoredDocument>(client, wanted(kind, found), page)
      return { documents: documents.map((stored) => documentOf(kind, stored)), total }
    },

    async count(kind, where) {
      await refresh()
      const { count } = await client.count({ index, query: queryOf(kind, where) })
      return count
    },

    async group<D extends object, By extends Field<D>>(
      kind: Kind<D>,
      { where, by, sum, max }: GroupOptions<Field<D>, By>,
    ) {
      await refresh()
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
      return found.map(({ key, doc_count: count, added, most }): Group<D, By> => ({
        key: Object.fromEntries(by.map((field) => [field, key[fieldOf(field)]])) as Pick<D, By>,
        count,
        sum: added?.value ?? 0,
        max: most?.value ?? null,
      }))
    },

    position: async () => (await readCheckpoint(client, index)).position,
  })
}

interface LastBucket {
  doc_count: number
  last: { hits: { hits: { _source: StoredDocument }[] } }
}

const conditionsOf = ({ name }: Kind, where: Where<string>): Query[] =>
  (Object.entries(where) as [string, Condition][]).map(([field, condition]) =>
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
