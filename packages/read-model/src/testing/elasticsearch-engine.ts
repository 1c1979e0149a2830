import { randomUUID } from 'node:crypto'
import { openElasticsearchCatalog } from '../elasticsearch/catalog/catalog.ts'
import { catalogIndexOf } from '../elasticsearch/catalog/definition.ts'
import { connectElasticsearch } from '../elasticsearch/connection.ts'
import { openElasticsearchSearch } from '../elasticsearch/search/search.ts'
import { openIndexStore } from '../elasticsearch/store.ts'
import { openElasticsearchErasureLedger } from '../elasticsearch/erasure-ledger.ts'
import type { CatalogEngine } from './engine.ts'

/** A client with names of one test's own, and how all that has them goes. */
export function testIndices(url: string) {
  const client = connectElasticsearch({ url })
  const prefix = `medialog-test-${randomUUID()}-`
  return {
    client,
    prefix,
    remove: async (): Promise<void> => {
      const found = await client.indices.get({ index: `${prefix}*`, allow_no_indices: true })
      for (const index of Object.keys(found)) await client.indices.delete({ index })
      await client.indices.deleteIndexTemplate({ name: `${prefix}*` }, { ignore: [404] })
      await client.close()
    },
  }
}

/** Catalog and search over indices of their own, changes applied however often they come. */
export async function openElasticsearchEngine(url: string, shards = 1): Promise<CatalogEngine> {
  const { client, prefix, remove } = testIndices(url)
  const erasures = openElasticsearchErasureLedger({ client, prefix })
  const writer = await openIndexStore({ client, prefix, definition: catalogIndexOf(shards) }).open()
  const search = openElasticsearchSearch({ client, prefix })
  return {
    catalog: openElasticsearchCatalog({ client, prefix, erasures }),
    search,
    erasures,
    async apply(changes) {
      await writer.apply(changes)
      await writer.applyBatch([], changes.at(-1)?.position ?? 0)
    },
    async close() {
      await search.close()
      await writer.close()
      await remove()
    },
  }
}
