import type { Client } from '@elastic/elasticsearch'
import type { CollectionRecord } from '@medialog/application/ports'
import type { MediaType, Uuid } from '@medialog/kernel'
import { buckets } from '../buckets.ts'
import { livingItems } from './filters.ts'
import type { Query } from '../query.ts'

interface CollectionBucket {
  doc_count: number
  first: { value: number }
  last: { value: number }
}

/** The account's collections that hold something, by name. */
export const collectionRecords = (
  client: Client,
  index: string,
  account: Uuid,
): Promise<CollectionRecord[]> => recordsOf(client, index, account, livingItems(index, account))

export async function collectionRecord(
  client: Client,
  index: string,
  account: Uuid,
  collection: string,
): Promise<CollectionRecord | null> {
  const filter = [...livingItems(index, account), { term: { collection } }]
  return (await recordsOf(client, index, account, filter))[0] ?? null
}

async function recordsOf(
  client: Client,
  index: string,
  account: Uuid,
  filter: Query[],
): Promise<CollectionRecord[]> {
  const found = await buckets<CollectionBucket, 'collection' | 'type'>(
    client,
    { index, routing: account, query: { bool: { filter } } },
    ['collection', 'type'],
    { first: { min: { field: 'createdAt' } }, last: { max: { field: 'createdAt' } } },
  )
  const records = new Map<string, CollectionRecord>()
  for (const { key, doc_count, first, last } of found) {
    const { collection } = key
    const known = records.get(collection)
    records.set(collection, {
      collection,
      itemCount: (known?.itemCount ?? 0) + doc_count,
      firstItemAt: Math.min(known?.firstItemAt ?? Infinity, first.value),
      lastItemAt: Math.max(known?.lastItemAt ?? -Infinity, last.value),
      mediaTypes: { ...known?.mediaTypes, [key.type as MediaType]: doc_count },
    })
  }
  return [...records.values()]
}
