import { describeWithEngine } from '@medialog/test/engines'
import { historyIndex } from '@medialog/read-model/elasticsearch/history/definition'
import { openElasticsearchHistory } from '@medialog/read-model/elasticsearch/history/history'
import { historyDefinition } from '@medialog/read-model/sqlite/history-definition'
import { openHistory } from '@medialog/read-model/sqlite/history'
import { describeHistoryContract } from '@medialog/read-model/testing/history-contract'
import { vi } from 'vitest'
import { historyProjection } from './history.ts'
import { openProjectedIndex } from './testing/elasticsearch-projected.ts'
import { openProjected } from './testing/sqlite-projected.ts'

describeHistoryContract('SQLite', () => openProjected(historyDefinition, historyProjection, openHistory))

describeWithEngine('elasticsearch', 'history in Elasticsearch', (url) => {
  vi.setConfig({ testTimeout: 240_000, hookTimeout: 240_000 })
  describeHistoryContract('Elasticsearch', () =>
    openProjectedIndex(url, historyIndex, historyProjection, openElasticsearchHistory),
  )
})
