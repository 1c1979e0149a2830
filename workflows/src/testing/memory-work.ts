import { DatabaseSync } from 'node:sqlite'
import type { EventStore, UnfinishedWork } from '@medialog/application/ports'
import { recordsProjection } from '@medialog/projections/records'
import { projectedBatch } from '@medialog/projections/testing/projected-batch'
import type { RecordStore } from '@medialog/read-model/documents'
import { BEGINNING } from '@medialog/kernel'
import { workModel, workOf } from '@medialog/read-model/records/work'
import { openDocuments } from '@medialog/read-model/sqlite/document-queries'
import { documentsDefinition } from '@medialog/read-model/sqlite/documents'

/** What the log shows as begun and not ended: the read model in memory, brought up to date by each question. */
export function createMemoryWork(eventStore: EventStore): UnfinishedWork {
  const store: RecordStore = { name: 'records', version: 1, models: [workModel] }
  const projection = recordsProjection(store)
  const database = new DatabaseSync(':memory:')
  const definition = documentsDefinition(store)
  database.exec(definition.schema)
  const apply = definition.prepare(database)
  const work = workOf(
    openDocuments({ current: () => ({ database, epoch: 1 }), failure: (_, error) => error }),
  )
  let applied = BEGINNING

  async function catchUp(): Promise<void> {
    for await (const recorded of eventStore.readAll(applied)) {
      const { position } = recorded
      const changes = await projectedBatch(projection, [recorded])
      // Another question may have come first.
      if (position <= applied) continue
      apply(changes)
      applied = position
    }
  }

  return {
    ingests: () => catchUp().then(() => work.ingests()),
    charges: () => catchUp().then(() => work.charges()),
    requests: () => catchUp().then(() => work.requests()),
    erasures: () => catchUp().then(() => work.erasures()),
    batches: () => catchUp().then(() => work.batches()),
    position: () => eventStore.head(),
  }
}
