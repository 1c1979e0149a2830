import { describeWithEngine } from '@medialog/test/engines'
import { vi } from 'vitest'
import { workIndex } from '@medialog/read-model/elasticsearch/work/definition'
import { openElasticsearchWork } from '@medialog/read-model/elasticsearch/work/work'
import { workProjection } from './work.ts'
import { describeUnfinishedWorkContract } from '@medialog/read-model/testing/unfinished-work-contract'
import { openProjectedIndex } from './testing/elasticsearch-projected.ts'
import { openProjected } from './testing/sqlite-projected.ts'
import { workDefinition } from '@medialog/read-model/sqlite/work-definition'
import { openUnfinishedWork } from '@medialog/read-model/sqlite/work'

describeUnfinishedWorkContract('SQLite', () =>
  openProjected(workDefinition, workProjection, openUnfinishedWork),
)

describeWithEngine('elasticsearch', 'unfinished work in Elasticsearch', (url) => {
  vi.setConfig({ testTimeout: 240_000, hookTimeout: 240_000 })
  describeUnfinishedWorkContract('Elasticsearch', () =>
    openProjectedIndex(url, workIndex, workProjection, openElasticsearchWork),
  )
})
