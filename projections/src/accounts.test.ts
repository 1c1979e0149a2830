import { describeAccountsContract } from '@medialog/read-model/testing/accounts-contract'
import { accountsModel, accountsOf } from '@medialog/read-model/records/accounts'
import { openRecords } from './testing/sqlite-projected.ts'

describeAccountsContract('SQLite', () => openRecords(accountsModel, accountsOf))
