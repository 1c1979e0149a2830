import { accountsProjection } from './accounts.ts'
import { describeAccountsContract } from '@medialog/read-model/testing/accounts-contract'
import { openProjected } from './testing/sqlite-projected.ts'
import { accountsDefinition } from '@medialog/read-model/sqlite/accounts-definition'
import { openAccounts } from '@medialog/read-model/sqlite/accounts'

describeAccountsContract('SQLite', () => openProjected(accountsDefinition, accountsProjection, openAccounts))
