import { historyModel, historyOf } from '@medialog/read-model/records/history'
import { describeHistoryContract } from '@medialog/read-model/testing/history-contract'
import { openRecords } from './testing/sqlite-projected.ts'
import { describeStoredAtContract } from './testing/stored-at-contract.ts'

const inSqlite = () => openRecords(historyModel, historyOf)
describeHistoryContract('SQLite', inSqlite)
describeStoredAtContract('SQLite', inSqlite, 10)
