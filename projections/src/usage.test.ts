import { describeWithEngine } from '@medialog/test/engines'
import { vi } from 'vitest'
import { usageIndex } from '@medialog/read-model/elasticsearch/usage/definition'
import { openElasticsearchUsage } from '@medialog/read-model/elasticsearch/usage/usage'
import { usageProjection } from './usage.ts'
import { describeUsageContract } from '@medialog/read-model/testing/usage-contract'
import { openProjectedIndex } from './testing/elasticsearch-projected.ts'
import { openProjected } from './testing/sqlite-projected.ts'
import { usageDefinition } from '@medialog/read-model/sqlite/usage-definition'
import { openUsage } from '@medialog/read-model/sqlite/usage'

describeUsageContract('SQLite', () => openProjected(usageDefinition, usageProjection, openUsage))

describeWithEngine('elasticsearch', 'usage in Elasticsearch', (url) => {
  vi.setConfig({ testTimeout: 240_000, hookTimeout: 240_000 })
  describeUsageContract('Elasticsearch', () =>
    openProjectedIndex(url, usageIndex, usageProjection, openElasticsearchUsage),
  )
})
