import { describeWithEngine } from '@medialog/test/engines'
import { vi } from 'vitest'
import { describeDocumentsContract } from '../testing/documents-contract.ts'
import { testIndices } from '../testing/elasticsearch-engine.ts'
import { openIndexDocuments } from './document-queries.ts'
import { documentsIndex } from './documents.ts'
import { openIndexStore } from './store.ts'

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 })

describeWithEngine('elasticsearch', 'documents in Elasticsearch', (url) => {
  describeDocumentsContract('Elasticsearch', async (store) => {
    const { client, prefix, remove } = testIndices(url)
    const writer = await openIndexStore({ client, prefix, definition: documentsIndex(store) }).open()
    return {
      read: openIndexDocuments({ client, prefix }, store.name),
      // As after a cut: the documents are there already when the batch comes with its checkpoint.
      async apply(events) {
        await writer.apply(events)
        await writer.applyBatch(events, events.at(-1)!.position)
      },
      async close() {
        await writer.close()
        await remove()
      },
    }
  })
})
