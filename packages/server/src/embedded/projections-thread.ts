import { parentPort, workerData, type MessagePort } from 'node:worker_threads'
import type { CatalogChange, ReadModelName } from '@medialog/application/ports'
import {
  accountsProjection,
  batchesProjection,
  catalogProjection,
  serveProjections,
  startProjections,
  usageProjection,
  workProjection,
  type Projected,
  type Projection,
} from '@medialog/projections'
import {
  accountsDefinition,
  batchesDefinition,
  catalogDefinition,
  openDatabaseStore,
  usageDefinition,
  workDefinition,
  type ReadModelDefinition,
} from '@medialog/read-model'
import { pino } from 'pino'
import type { ElasticsearchSettings } from '../elasticsearch-settings.ts'
import { openEventLogReader, type LogPlace } from './event-log.ts'
import { foldersIn } from './folders.ts'
import { openArtifacts, type StoragePlace } from './storage.ts'

export interface ProjectionsThreadData extends LogPlace, StoragePlace {
  logLevel: string
  /** Null: the catalog is in files like the others. */
  elasticsearch: ElasticsearchSettings | null
  /** The other end of `connectProjections`. */
  port: MessagePort
}

/** The thread that follows the log and writes the read models: a composition root of its own. */
const { dataFolder, eventStoreDb, elasticsearch, bucket, logLevel, port } =
  workerData as ProjectionsThreadData
const { readModels: folder } = foldersIn(dataFolder)
const logger = pino({ level: logLevel, name: 'projections' }, pino.destination(2))

const wipeFailed =
  (readModel: ReadModelName) =>
  (error: Error): void =>
    logger.error({ readModel, err: error }, 'wiping erased content failed and is tried again')

async function catalog(): Promise<Projected<never>> {
  if (!elasticsearch) return stored(catalogProjection, catalogDefinition)
  const { connectElasticsearch, openCatalogStore } = await import('@medialog/read-model/elasticsearch/index')
  const store = openCatalogStore({
    client: connectElasticsearch(elasticsearch),
    prefix: elasticsearch.prefix,
    onWipeFailed: wipeFailed('catalog'),
  })
  const projected: Projected<CatalogChange> = { projection: catalogProjection, store }
  return projected as unknown as Projected<never>
}

/** A projection with the tables it fills; what they pass each other is nobody else's business. */
function stored<Change>(
  projection: Projection<Change>,
  definition: ReadModelDefinition<Change> & { name: ReadModelName },
): Projected<never> {
  const projected: Projected<Change> = {
    projection,
    store: openDatabaseStore({
      folder,
      definition,
      onWipeFailed: wipeFailed(definition.name),
    }),
  }
  return projected as unknown as Projected<never>
}

const host = await startProjections(
  [
    await catalog(),
    stored(accountsProjection, accountsDefinition),
    stored(usageProjection, usageDefinition),
    stored(workProjection, workDefinition),
    stored(batchesProjection, batchesDefinition),
  ],
  {
    log: await openEventLogReader({ dataFolder, eventStoreDb }),
    artifacts: await openArtifacts({ dataFolder, bucket }),
    logger,
  },
)
serveProjections(port, host)
parentPort!.postMessage('serving', [])
