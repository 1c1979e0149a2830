import type { DocumentQueries, RecordModel } from '@medialog/read-model/documents'
import { openIndexDocuments } from '@medialog/read-model/elasticsearch/document-queries'
import { documentsIndex } from '@medialog/read-model/elasticsearch/documents'
import type { IndexDefinition } from '@medialog/read-model/elasticsearch/definition'
import type { ReaderOptions } from '@medialog/read-model/elasticsearch/reader'
import { openIndexStore } from '@medialog/read-model/elasticsearch/store'
import { testIndices } from '@medialog/read-model/testing/elasticsearch-engine'
import type { ProjectedEngine } from '@medialog/read-model/testing/projected'
import type { Projection } from '../projection.ts'
import { digestOf } from './digest-of.ts'
import { recordsProjection } from '../records.ts'
import { storeFor } from './sqlite-projected.ts'
import { projectedBatch } from './projected-batch.ts'

/** A read model in Elasticsearch with its projection, without the host; changes land however often they come. */
export async function openProjectedIndex<Change, Port>(
  url: string,
  definition: IndexDefinition<Change>,
  projection: Projection<Change>,
  openPort: (options: ReaderOptions) => Port,
): Promise<ProjectedEngine<Port> & { digest(): Promise<string> }> {
  const { client, prefix, remove } = testIndices(url)
  const writer = await openIndexStore({ client, prefix, definition }).open()
  return {
    port: openPort({ client, prefix }),
    async apply(events) {
      const changes = await projectedBatch(projection, events)
      await writer.apply(changes)
      await writer.applyBatch(changes, events.at(-1)!.position)
    },
    digest: () => digestOf(writer),
    async close() {
      await writer.close()
      await remove()
    },
  }
}

/** A read model of documents in Elasticsearch. */
export function openIndexRecords<Port>(
  url: string,
  model: RecordModel,
  portOf: (read: DocumentQueries) => Port,
) {
  const store = storeFor(model)
  return openProjectedIndex(url, documentsIndex(store), recordsProjection(store), (options) =>
    portOf(openIndexDocuments(options, store.name)),
  )
}
