import { historyDefinition } from '@medialog/read-model/sqlite/history-definition'
import { openHistory } from '@medialog/read-model/sqlite/history'
import { describeHistoryContract } from '@medialog/read-model/testing/history-contract'
import { historyProjection } from './history.ts'
import { openProjected } from './testing/sqlite-projected.ts'
import { describeStoredAtContract } from './testing/stored-at-contract.ts'

const inSqlite = () => openProjected(historyDefinition, historyProjection, openHistory)
describeHistoryContract('SQLite', inSqlite)
describeStoredAtContract('SQLite', inSqlite, 10)
