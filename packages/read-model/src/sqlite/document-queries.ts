import type { SQLInputValue } from 'node:sqlite'
import type { Condition, DocumentQueries, Found, Group, Kind, Where } from '../documents.ts'
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

  function select<D extends object>(kind: Kind<D>, found: Found<D>, limit: number, offset: number): D[] {
    const { sql, values } = whereOf(found.where)
    const order = found.sort.map(([field, way]) => `${quoted(field)} ${way}`).join(', ')
    const wanted = `SELECT body FROM ${kind.name} ${sql} ORDER BY ${order} LIMIT ? OFFSET ?`
    return bodies<D>(wanted, [...values, limit, offset])
  }

  function count<D extends object>(kind: Kind<D>, where: Where<D>): number {
    const { sql, values } = whereOf(where)
    return statements.get(`SELECT count(*) AS total FROM ${kind.name} ${sql}`).get(...values)![
      'total'
    ] as number
  }

  function group<D extends object, F extends keyof D & string>(
    kind: Kind<D>,
    { where, by, sum, max }: { where: Where<D>; by: readonly F[]; sum?: string; max?: string },
  ): Group<D, F>[] {
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
        key: Object.fromEntries(by.map((field) => [field, row[field]])) as Pick<D, F>,
        count: row['count()'] as number,
        sum: row['sum()'] as number,
        max: row['max()'] as number | null,
      }))
  }

  return guarded<DocumentQueries>(source, {
    get: async <D extends object>({ name }: Kind<D>, id: string) =>
      bodies<D>(`SELECT body FROM ${name} WHERE id = ?`, [id])[0] ?? null,

    find: async (kind, { limit = -1, ...found }) => select(kind, found, limit, 0),

    page: async (kind, found, { offset, limit }) =>
      statements.snapshot(() => ({
        documents: select(kind, found, limit, offset),
        total: count(kind, found.where),
      })),

    count: async (kind, where) => count(kind, where),
    group: async (kind, grouped) => group(kind, grouped),
    position: async () => statements.get('SELECT position FROM checkpoint').get()!['position'] as number,
  })
}

/** A field may be called like a word of SQL. */
export const quoted = (field: string): string => `"${field}"`

function whereOf<D>(where: Where<D>): Clause {
  const clauses = Object.entries(where as { [field: string]: Condition }).map(([field, condition]) =>
    clauseOf(quoted(field), condition),
  )
  return {
    sql: clauses.length === 0 ? '' : `WHERE ${clauses.map(({ sql }) => sql).join(' AND ')}`,
    values: clauses.flatMap(({ values }) => values),
  }
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
