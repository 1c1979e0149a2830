import { batchesProjection } from './batches.ts'
import { describeBatchesContract } from '@medialog/read-model/testing/batches-contract'
import { openProjected } from './testing/sqlite-projected.ts'
import { batchesDefinition } from '@medialog/read-model/sqlite/batches-definition'
import { openBatches } from '@medialog/read-model/sqlite/batches'

describeBatchesContract('SQLite', () => openProjected(batchesDefinition, batchesProjection, openBatches))
