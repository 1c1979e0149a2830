import { describeBatchesContract } from '@medialog/read-model/testing/batches-contract'
import { batchesModel, batchesOf } from '@medialog/read-model/records/batches'
import { openRecords } from './testing/sqlite-projected.ts'

describeBatchesContract('SQLite', () => openRecords(batchesModel, batchesOf))
