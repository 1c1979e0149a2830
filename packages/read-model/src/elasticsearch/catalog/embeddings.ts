import type { Client } from '@elastic/elasticsearch'
import type { EmbeddedItem, EmbeddingCount } from '@medialog/application/ports'
import type { Uuid } from '@medialog/kernel'
import { buckets } from '../buckets.ts'
import type { ItemDocument } from './documents.ts'
import { allEnded } from './ended.ts'
import { livingItemsOfAll } from './filters.ts'
import type { Query } from '../query.ts'

/** What there is of each embedder's, by name: of what passes the filter in the account, or of everything. */
export async function embeddingCounts(
  client: Client,
  index: string,
  filter?: Query[],
  account?: Uuid,
): Promise<EmbeddingCount[]> {
  const query = filter ? { bool: { filter } } : livingItemsOfAll(await allEnded(client, index))
  const found = await buckets<{ doc_count: number; hd: { value: number } }, 'model' | 'account'>(
    client,
    { index, query, ...(account !== undefined && { routing: account }) },
    ['model', 'account'],
    { hd: { sum: { field: 'hd' } } },
  )
  const counts = new Map<string, EmbeddingCount>()
  for (const { key, doc_count, hd } of found) {
    const known = counts.get(key.model) ?? { model: key.model, items: 0, vectors: 0, accounts: 0 }
    known.items += doc_count
    known.vectors += hd.value
    known.accounts++
    counts.set(key.model, known)
  }
  return [...counts.values()]
}

/** Items of all accounts by account and id. */
export async function embeddedItems(
  client: Client,
  index: string,
  after: Pick<EmbeddedItem, 'accountId' | 'mediaId'> | null,
  limit: number,
): Promise<EmbeddedItem[]> {
  const { hits } = await client.search<Pick<ItemDocument, 'account' | 'media' | 'ingest' | 'model'>>({
    index,
    query: livingItemsOfAll(await allEnded(client, index)),
    sort: [{ account: 'asc' }, { media: 'asc' }],
    size: limit,
    _source: ['account', 'media', 'ingest', 'model'],
    ...(after && { search_after: [after.accountId, after.mediaId] }),
  })
  return hits.hits.map(({ _source }) => {
    const { account, media, ingest, model } = _source!
    return { accountId: account, mediaId: media, ingestId: ingest, model }
  })
}
