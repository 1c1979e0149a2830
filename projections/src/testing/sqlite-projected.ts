import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { storeOf } from '@medialog/application/ports'
import type { Projection } from '../projection.ts'
import type { DocumentQueries, RecordModel, RecordStore } from '@medialog/read-model/documents'
import { openDatabaseSource } from '@medialog/read-model/sqlite/database-source'
import { openDatabaseStore } from '@medialog/read-model/sqlite/database-store'
import type { ReadModelDefinition } from '@medialog/read-model/sqlite/definition'
import { openDocuments } from '@medialog/read-model/sqlite/document-queries'
import { documentsDefinition } from '@medialog/read-model/sqlite/documents'
import type { DatabaseSource } from '@medialog/read-model/sqlite/source'
import type { ProjectedEngine } from '@medialog/read-model/testing/projected'
import { digestOf } from './digest-of.ts'
import { recordsProjection } from '../records.ts'
import { projectedBatch } from './projected-batch.ts'

/** A read model in SQLite with its projection, without the host. */
export async function openProjected<Change, Port>(
  definition: ReadModelDefinition<Change>,
  projection: Projection<Change>,
  openPort: (source: DatabaseSource) => Port,
): Promise<ProjectedEngine<Port> & { folder: string; digest(): Promise<string> }> {
  const folder = mkdtempSync(join(tmpdir(), 'medialog-read-model-'))
  const writer = await openDatabaseStore({ folder, definition }).open()
  const source = openDatabaseSource(folder, definition.name)
  return {
    folder,
    port: openPort(source),
    async apply(events) {
      await writer.applyBatch(await projectedBatch(projection, events), events.at(-1)!.position)
    },
    digest: () => digestOf(writer),
    async close() {
      source.close()
      await writer.close()
      rmSync(folder, { recursive: true })
    },
  }
}

/** A read model of documents in SQLite. */
export function openRecords<Port>(model: RecordModel, portOf: (read: DocumentQueries) => Port) {
  const store = storeFor(model)
  return openProjected(documentsDefinition(store), recordsProjection(store), (source) =>
    portOf(openDocuments(source)),
  )
}

/** A store of this read model alone. */
export const storeFor = (model: RecordModel): RecordStore => ({
  name: storeOf(model.name),
  version: 1,
  models: [model],
})
