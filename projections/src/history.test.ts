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
import { describeStoredAtContract } from './testing/stored-at-contract.ts'

const inSqlite = () => openProjected(historyDefinition, historyProjection, openHistory)
describeHistoryContract('SQLite', inSqlite)
describeStoredAtContract('SQLite', inSqlite, 10)

describeWithEngine('elasticsearch', 'history in Elasticsearch', (url) => {
  vi.setConfig({ testTimeout: 240_000, hookTimeout: 240_000 })
  const inElasticsearch = () =>
    openProjectedIndex(url, historyIndex, historyProjection, openElasticsearchHistory)
  describeHistoryContract('Elasticsearch', inElasticsearch)
  describeStoredAtContract('Elasticsearch', inElasticsearch, 1)
})
