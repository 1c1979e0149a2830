import type { SQLInputValue } from 'node:sqlite'
import {
  backwards,
  type Condition,
  type DocumentQueries,
  type Field,
  type FindOptions,
  type Group,
  type GroupOptions,
  type Kind,
  type LastOptions,
  type Sort,
  type Where,
} from '../documents.ts'
import { guarded, type DatabaseSource } from './source.ts'
import { Statements } from './statements.ts'

const COMPARISONS = { gt: '>', gte: '>=', lt: '<', lte: '<=' } as const

interface Clause {
  sql: string
  values: SQLInputValue[]
}

/** Reads the documents of a read model in SQLite. */
export function openDocuments(source: DatabaseSource): DocumentQueries {
  const statements = new Statements(source)

  const bodies = <D>(sql: string, values: SQLInputValue[]): D[] =>
    statements
      .get(sql)
      .all(...values)
      .map(({ body }) => JSON.parse(body as string) as D)

  function select<D extends object>(
    kind: Kind<D>,
    { where, sort, after, limit = -1 }: FindOptions<string>,
    offset = 0,
  ): D[] {
    const { sql, values } = whereOf(where, after && behind(sort, after))
    const order = sort.map(([field, way]) => `${quoted(field)} ${way}`).join(', ')
    const wanted = `SELECT body FROM ${kind.name} ${sql} ORDER BY ${order} LIMIT ? OFFSET ?`
    return bodies<D>(wanted, [...values, limit, offset])
  }

  /** From interval to interval, backwards: of the documents in between none is read. */
  function lastOfEach<D extends object>(
    kind: Kind<D>,
    { where, sort, by, within, step }: LastOptions<string>,
  ): D[] {
    const found: D[] = []
    for (let { lt } = within; ;) {
      const before = { ...where, [by]: { gte: within.gte, lt } }
      const [last] = select(kind, { where: before, sort: backwards(sort), limit: 1 })
      if (!last) return found.reverse()
      found.push(last)
      const value = last[by as keyof D] as number
      lt = value - (value % step)
    }
  }

  function count(kind: Kind, where: Where<string>): number {
    const { sql, values } = whereOf(where)
    return statements.get(`SELECT count(*) AS total FROM ${kind.name} ${sql}`).get(...values)![
      'total'
    ] as number
  }

  function group<D extends object, By extends Field<D>>(
    kind: Kind<D>,
    { where, by, sum, max }: GroupOptions<Field<D>, By>,
  ): Group<D, By>[] {
    const { sql, values } = whereOf(where)
    const fields = by.map(quoted).join(', ')
    const [added, most] = [sum, max].map((field) => (field === undefined ? 'NULL' : quoted(field)))
    return statements
      .get(
        `SELECT ${fields}, count(*) AS "count()", coalesce(sum(${added}), 0) AS "sum()", max(${most}) AS "max()"
         FROM ${kind.name} ${sql} GROUP BY ${fields} ORDER BY ${fields}`,
      )
      .all(...values)
      .map((row) => ({
        key: Object.fromEntries(by.map((field) => [field, row[field]])) as Pick<D, By>,
        count: row['count()'] as number,
        sum: row['sum()'] as number,
        max: row['max()'] as number | null,
      }))
  }

  return guarded<DocumentQueries>(source, {
    get: async <D extends object>({ name }: Kind<D>, id: string) =>
      bodies<D>(`SELECT body FROM ${name} WHERE id = ?`, [id])[0] ?? null,

    find: async (kind, options) => select(kind, options),

    findAll: async (finds) => statements.snapshot(() => finds.map(({ kind, found }) => select(kind, found))),

    lastOfEach: async (kind, last) => statements.snapshot(() => lastOfEach(kind, last)),

    page: async (kind, found, { offset, limit }) =>
      statements.snapshot(() => ({
        documents: select(kind, { ...found, limit }, offset),
        total: count(kind, found.where),
      })),

    count: async (kind, where) => count(kind, where),
    group: async (kind, grouped) => group(kind, grouped),
    position: async () => statements.get('SELECT position FROM checkpoint').get()!['position'] as number,
  })
}

/** A field may be called like a word of SQL. */
export const quoted = (field: string): string => `"${field}"`

function whereOf(where: Where<string>, more: Clause | null = null): Clause {
  const conditions = Object.entries(where) as [string, Condition][]
  const clauses = conditions.map(([field, condition]) => clauseOf(quoted(field), condition))
  if (more) clauses.push(more)
  return {
    sql: clauses.length === 0 ? '' : `WHERE ${clauses.map(({ sql }) => sql).join(' AND ')}`,
    values: clauses.flatMap(({ values }) => values),
  }
}

function behind(sort: Sort<string>, after: readonly number[]): Clause {
  const fields = sort.map(([field]) => quoted(field)).join(', ')
  const sign = sort[0]?.[1] === 'desc' ? '<' : '>'
  return { sql: `(${fields}) ${sign} (${after.map(() => '?').join(', ')})`, values: [...after] }
}

function clauseOf(column: string, condition: Condition): Clause {
  if (condition === null) return { sql: `${column} IS NULL`, values: [] }
  if (typeof condition !== 'object') return { sql: `${column} = ?`, values: [condition] }
  const oneOf = `${column} IN (SELECT value FROM json_each(?))`
  if ('in' in condition) return { sql: oneOf, values: [JSON.stringify(condition.in)] }
  if ('notIn' in condition)
    return { sql: `(${column} IS NULL OR NOT ${oneOf})`, values: [JSON.stringify(condition.notIn)] }
  const bounds = Object.entries(condition) as [keyof typeof COMPARISONS, number][]
  return {
    sql: bounds.map(([bound]) => `${column} ${COMPARISONS[bound]} ?`).join(' AND '),
    values: bounds.map(([, value]) => value),
  }
}
