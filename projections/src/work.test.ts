import { describeUnfinishedWorkContract } from '@medialog/read-model/testing/unfinished-work-contract'
import { workModel, workOf } from '@medialog/read-model/records/work'
import { openRecords } from './testing/sqlite-projected.ts'

describeUnfinishedWorkContract('SQLite', () => openRecords(workModel, workOf))
