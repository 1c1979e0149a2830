import { openIndexRecords } from './testing/elasticsearch-projected.ts'
import { describeStoredAtContract } from './testing/stored-at-contract.ts'
import { accountsModel, accountsOf } from '@medialog/read-model/records/accounts'
import { batchesModel, batchesOf } from '@medialog/read-model/records/batches'
import { historyModel, historyOf } from '@medialog/read-model/records/history'
import { usageModel, usageOf } from '@medialog/read-model/records/usage'
import { workModel, workOf } from '@medialog/read-model/records/work'
import { describeAccountsContract } from '@medialog/read-model/testing/accounts-contract'
import { describeBatchesContract } from '@medialog/read-model/testing/batches-contract'
import { describeHistoryContract } from '@medialog/read-model/testing/history-contract'
import { describeUnfinishedWorkContract } from '@medialog/read-model/testing/unfinished-work-contract'
import { describeUsageContract } from '@medialog/read-model/testing/usage-contract'
import { describeWithEngine } from '@medialog/test/engines'
import { vi } from 'vitest'

vi.setConfig({ testTimeout: 240_000, hookTimeout: 240_000 })

describeWithEngine('elasticsearch', 'accounts in Elasticsearch', (url) => {
  describeAccountsContract('Elasticsearch', () => openIndexRecords(url, accountsModel, accountsOf))
})

describeWithEngine('elasticsearch', 'batches in Elasticsearch', (url) => {
  describeBatchesContract('Elasticsearch', () => openIndexRecords(url, batchesModel, batchesOf))
})

describeWithEngine('elasticsearch', 'history in Elasticsearch', (url) => {
  const inElasticsearch = () => openIndexRecords(url, historyModel, historyOf)
  describeHistoryContract('Elasticsearch', inElasticsearch)
  describeStoredAtContract('Elasticsearch', inElasticsearch, 1)
})

describeWithEngine('elasticsearch', 'usage in Elasticsearch', (url) => {
  describeUsageContract('Elasticsearch', () => openIndexRecords(url, usageModel, usageOf))
})

describeWithEngine('elasticsearch', 'unfinished work in Elasticsearch', (url) => {
  describeUnfinishedWorkContract('Elasticsearch', () => openIndexRecords(url, workModel, workOf))
})
