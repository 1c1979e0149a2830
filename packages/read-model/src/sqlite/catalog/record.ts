import type { CatalogItem } from '@medialog/application/ports'
import { itemOfRecord } from '../../catalog/record.ts'

/** What of an item has columns of its own; the rest travels as JSON in `record`. */
export interface ItemRow {
  account_id: string
  media_id: string
  ingest_id: string
  media_type: CatalogItem['mediaType']
  name: string
  created_at: number
  revision: number
  hd: number
  ld: number
  record: string
}

export const itemOf = (row: ItemRow): CatalogItem =>
  itemOfRecord(row.record, {
    accountId: row.account_id,
    mediaId: row.media_id,
    ingestId: row.ingest_id,
    mediaType: row.media_type,
    collection: row.name,
    createdAt: row.created_at,
    revision: row.revision,
    vectorCount: { hd: row.hd, ld: row.ld },
  })
