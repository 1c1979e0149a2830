import type { CatalogChange } from '@medialog/application/ports'
import { describeWithEngine } from '@medialog/test/engines'
import { expect, test, vi } from 'vitest'
import { testIndices } from '../../testing/elasticsearch-engine.ts'
import { put, uuid } from '../../testing/items.ts'
import { openElasticsearchErasureLedger } from '../erasure-ledger.ts'
import { openIndexStore } from '../store.ts'
import { openElasticsearchCatalog } from './catalog.ts'
import { catalogIndex } from './definition.ts'

vi.setConfig({ testTimeout: 120_000 })

const remove = (media: string): CatalogChange => ({
  type: 'RemoveItem',
  accountId: uuid('account'),
  mediaId: uuid(media),
  ingestId: uuid(`${media}/1`),
  revision: 2,
  at: 1,
})

describeWithEngine('elasticsearch', 'pending erasures in Elasticsearch', (url) => {
  test('what was erased stays known after a writer died between a batch and its checkpoint', async () => {
    const { client, prefix, remove: clear } = testIndices(url)
    const erasures = openElasticsearchErasureLedger({ client, prefix })
    const catalog = openElasticsearchCatalog({ client, prefix, erasures })
    const writer = await openIndexStore({ client, prefix, definition: catalogIndex }).open()
    try {
      await writer.applyBatch(
        [
          { change: put({ media: 'a' }), position: 1 },
          { change: remove('a'), position: 2 },
        ],
        2,
      )
      // Its documents landed, its checkpoint did not.
      await writer.apply([
        { change: put({ media: 'b' }), position: 3 },
        { change: remove('b'), position: 4 },
      ])
      await client.indices.refresh({ index: `${prefix}*` })
      const pending = await catalog.pendingErasures(10)
      expect(pending.map(({ mediaId }) => mediaId)).toEqual([uuid('a'), uuid('b')])
      for (const erasure of pending) await erasures.markErased(erasure)
      expect(await catalog.pendingErasures(10)).toEqual([])
      expect(await erasures.doneBelow(2)).toBe(2)
      expect(await catalog.pendingErasures(10)).toEqual([])
    } finally {
      await writer.close()
      await clear()
    }
  })
})
