import type { RecordStore } from '@medialog/read-model/documents'
import type { IndexDefinition } from '@medialog/read-model/elasticsearch/definition'
import { documentsIndex } from '@medialog/read-model/elasticsearch/documents'
import type { ReaderOptions } from '@medialog/read-model/elasticsearch/reader'
import { openIndexStore } from '@medialog/read-model/elasticsearch/store'
import { accessStore, recordsStore } from '@medialog/read-model/records/stores'
import { projectedInto, type Projected } from '../ports.ts'
import type { Projection } from '../projection.ts'
import { recordsProjection } from '../records.ts'

/** The read models that need no artifacts, in Elasticsearch. */
export function projectedInIndices(options: ReaderOptions): Projected<never>[] {
  const projected = <Change>(projection: Projection<Change>, definition: IndexDefinition<Change>) =>
    projectedInto(projection, openIndexStore({ ...options, definition }))
  const records = (store: RecordStore) => projected(recordsProjection(store), documentsIndex(store))
  return [records(accessStore), records(recordsStore)]
}
