import type { SQLInputValue } from 'node:sqlite'
import type { Condition, DocumentQueries, Found, Group, Kind } from '../documents.ts'
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
    const { sql, values } = whereOf(found)
    const order = found.sort.map(([field, way]) => `${field} ${way}`).join(', ')
    const wanted = `SELECT body FROM ${kind.name} ${sql} ORDER BY ${order} LIMIT ? OFFSET ?`
    return bodies<D>(wanted, [...values, limit, offset])
  }

  return guarded<DocumentQueries>(source, {
    get: async <D extends object>({ name }: Kind<D>, id: string) =>
      bodies<D>(`SELECT body FROM ${name} WHERE id = ?`, [id])[0] ?? null,

    find: async (kind, { limit = -1, ...found }) => select(kind, found, limit, 0),

    page: async (kind, found, { offset, limit }) =>
      statements.snapshot(() => {
        const { sql, values } = whereOf(found)
        const count = statements.get(`SELECT count(*) AS total FROM ${kind.name} ${sql}`).get(...values)!
        return { documents: select(kind, found, limit, offset), total: count['total'] as number }
      }),

    async group<D extends object, F extends keyof D & string>(
      kind: Kind<D>,
      { where, by, sum, max }: { where: Found<D>['where']; by: readonly F[]; sum?: string; max?: string },
    ) {
      const clause = whereOf<D>({ where })
      const fields = by.join(', ')
      const sql = `SELECT ${fields}, count(*) AS found, coalesce(sum(${sum ?? 0}), 0) AS added, max(${max ?? null}) AS most
        FROM ${kind.name} ${clause.sql} GROUP BY ${fields} ORDER BY ${fields}`
      return statements
        .get(sql)
        .all(...clause.values)
        .map(({ found, added, most, ...key }): Group<D, F> => ({
          key: { ...key } as unknown as Pick<D, F>,
          count: found as number,
          sum: added as number,
          max: most as number | null,
        }))
    },

    position: async () => statements.get('SELECT position FROM checkpoint').get()!['position'] as number,
  })
}

function whereOf<D>({ where }: Pick<Found<D>, 'where'>): Clause {
  const clauses = Object.entries(where as { [field: string]: Condition }).map(clauseOf)
  return {
    sql: clauses.length === 0 ? '' : `WHERE ${clauses.map(({ sql }) => sql).join(' AND ')}`,
    values: clauses.flatMap(({ values }) => values),
  }
}

function clauseOf([field, condition]: [string, Condition]): Clause {
  if (condition === null) return { sql: `${field} IS NULL`, values: [] }
  if (typeof condition !== 'object') return { sql: `${field} = ?`, values: [condition] }
  if ('in' in condition)
    return {
      sql: `${field} IN (SELECT value FROM json_each(?))`,
      values: [JSON.stringify(condition.in)],
    }
  const bounds = Object.entries(condition) as [keyof typeof COMPARISONS, number][]
  return {
    sql: bounds.map(([bound]) => `${field} ${COMPARISONS[bound]} ?`).join(' AND '),
    values: bounds.map(([, value]) => value),
  }
}
