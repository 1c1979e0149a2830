import type { RecordModel } from '@medialog/read-model/documents'
import type { IndexDefinition } from '@medialog/read-model/elasticsearch/definition'
import { documentsIndex } from '@medialog/read-model/elasticsearch/documents'
import type { ReaderOptions } from '@medialog/read-model/elasticsearch/reader'
import { openIndexStore } from '@medialog/read-model/elasticsearch/store'
import { batchesModel } from '@medialog/read-model/records/batches'
import { historyModel } from '@medialog/read-model/records/history'
import { usageModel } from '@medialog/read-model/records/usage'
import { workModel } from '@medialog/read-model/records/work'
import { accountsModel } from '@medialog/read-model/records/accounts'
import { projectedInto, type Projected } from '../ports.ts'
import type { Projection } from '../projection.ts'
import { recordsProjection } from '../records.ts'

/** The read models that need no artifacts, in Elasticsearch. */
export function projectedInIndices(options: ReaderOptions): Projected<never>[] {
  const projected = <Change>(projection: Projection<Change>, definition: IndexDefinition<Change>) =>
    projectedInto(projection, openIndexStore({ ...options, definition }))
  const records = (model: RecordModel) => projected(recordsProjection(model), documentsIndex(model))
  return [
    records(accountsModel),
    records(usageModel),
    records(workModel),
    records(batchesModel),
    records(historyModel),
  ]
}
