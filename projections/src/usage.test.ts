import { describeUsageContract } from '@medialog/read-model/testing/usage-contract'
import { usageModel, usageOf } from '@medialog/read-model/records/usage'
import { openRecords } from './testing/sqlite-projected.ts'

describeUsageContract('SQLite', () => openRecords(usageModel, usageOf))
