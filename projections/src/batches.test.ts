import { describeWithEngine } from '@medialog/test/engines'
import { vi } from 'vitest'
import { batchesIndex } from '@medialog/read-model/elasticsearch/batches/definition'
import { openElasticsearchBatches } from '@medialog/read-model/elasticsearch/batches/batches'
import { batchesProjection } from './batches.ts'
import { describeBatchesContract } from '@medialog/read-model/testing/batches-contract'
import { openProjectedIndex } from './testing/elasticsearch-projected.ts'
import { openProjected } from './testing/sqlite-projected.ts'
import { batchesDefinition } from '@medialog/read-model/sqlite/batches-definition'
import { openBatches } from '@medialog/read-model/sqlite/batches'

describeBatchesContract('SQLite', () => openProjected(batchesDefinition, batchesProjection, openBatches))

describeWithEngine('elasticsearch', 'batches in Elasticsearch', (url) => {
  vi.setConfig({ testTimeout: 240_000, hookTimeout: 240_000 })
  describeBatchesContract('Elasticsearch', () =>
    openProjectedIndex(url, batchesIndex, batchesProjection, openElasticsearchBatches),
  )
})
