import { describeWebhookStoreContract } from '@medialog/messaging/webhooks/store-contract'
import { describeWithEngine } from '@medialog/test/engines'
import { vi } from 'vitest'
import { testIndices } from '../testing/elasticsearch-engine.ts'
import { openElasticsearchWebhookStore } from './webhook-store.ts'

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 })

describeWithEngine('elasticsearch', 'in Elasticsearch', (url) => {
  describeWebhookStoreContract('Elasticsearch', async () => {
    const indices = testIndices(url)
    return {
      store: openElasticsearchWebhookStore(indices),
      reopen: async () => openElasticsearchWebhookStore(indices),
      close: () => indices.remove(),
    }
  })
})
