import type { CollectionRecord } from '@medialog/application/ports'
import type { Uuid } from '@medialog/kernel'
import type { Statements } from '../statements.ts'
import * as sql from './queries.ts'

/** The account's collections, or the one of that name. */
export function readCollections(
  statements: Statements,
  accountId: Uuid,
  name: string | null,
): CollectionRecord[] {
  const rows = statements.get(sql.COLLECTIONS).all({ account: accountId, name })
  const records = new Map<string, CollectionRecord>()
  for (const row of rows as unknown as sql.CollectionRow[]) {
    const record: CollectionRecord = records.get(row.name) ?? {
      collection: row.name,
      itemCount: 0,
      firstItemAt: row.first_at,
      lastItemAt: row.last_at,
      mediaTypes: {},
    }
    record.itemCount += row.items
    record.firstItemAt = Math.min(record.firstItemAt, row.first_at)
    record.lastItemAt = Math.max(record.lastItemAt, row.last_at)
    record.mediaTypes[row.media_type] = (record.mediaTypes[row.media_type] ?? 0) + row.items
    records.set(row.name, record)
  }
  return [...records.values()]
}
