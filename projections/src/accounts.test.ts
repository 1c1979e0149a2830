import { describeWithEngine } from '@medialog/test/engines'
import { vi } from 'vitest'
import { accountsIndex } from '@medialog/read-model/elasticsearch/accounts/definition'
import { openElasticsearchAccounts } from '@medialog/read-model/elasticsearch/accounts/accounts'
import { accountsProjection } from './accounts.ts'
import { describeAccountsContract } from '@medialog/read-model/testing/accounts-contract'
import { openProjectedIndex } from './testing/elasticsearch-projected.ts'
import { openProjected } from './testing/sqlite-projected.ts'
import { accountsDefinition } from '@medialog/read-model/sqlite/accounts-definition'
import { openAccounts } from '@medialog/read-model/sqlite/accounts'

describeAccountsContract('SQLite', () => openProjected(accountsDefinition, accountsProjection, openAccounts))

describeWithEngine('elasticsearch', 'accounts in Elasticsearch', (url) => {
  vi.setConfig({ testTimeout: 240_000, hookTimeout: 240_000 })
  describeAccountsContract('Elasticsearch', () =>
    openProjectedIndex(url, accountsIndex, accountsProjection, openElasticsearchAccounts),
  )
})
