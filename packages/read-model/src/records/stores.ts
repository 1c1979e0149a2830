import type { RecordStore } from '../documents.ts'
import { accountsModel } from './accounts.ts'
import { batchesModel } from './batches.ts'
import { historyModel } from './history.ts'
import { usageModel } from './usage.ts'
import { workModel } from './work.ts'

/** Accounts and API keys. */
export const accessStore: RecordStore = {
  name: 'access',
  version: 1,
  models: [accountsModel],
  replaces: ['accounts'],
}

/** All other read models of documents. */
export const recordsStore: RecordStore = {
  name: 'records',
  version: 1,
  models: [usageModel, workModel, batchesModel, historyModel],
  replaces: ['usage', 'work', 'batches', 'history'],
}
