import { parentPort, workerData, type MessagePort } from 'node:worker_threads'
import type { StoreName } from '@medialog/application/ports'
import {
  catalogProjection,
  projectedInto,
  recordsProjection,
  serveProjections,
  shareProjections,
  startProjections,
  type Projected,
  type Projection,
} from '@medialog/projections'
import {
  accessStore,
  catalogDefinition,
  documentsDefinition,
  openDatabaseStore,
  recordsStore,
  type ReadModelDefinition,
  type RecordStore,
} from '@medialog/read-model'
import type { IndexDefinition } from '@medialog/read-model/elasticsearch/index'
import { pino } from 'pino'
import type { ElasticsearchSettings } from '../elasticsearch-settings.ts'
import { openEventLogReader, type LogPlace } from './event-log.ts'
import { foldersIn } from './folders.ts'
import { openArtifacts, type StoragePlace } from './storage.ts'

export interface ProjectionsThreadData extends LogPlace, StoragePlace {
  logLevel: string
  /** Null: the read models are in files of the data folder, and this process's alone. */
  elasticsearch: ElasticsearchSettings | null
  /** What this process's leases are held by: see `shareProjections`. */
  hostId: string
  /** The other end of `connectProjections`. */
  port: MessagePort
}

/** The thread that follows the log and writes the read models: a composition root of its own. */
const { dataFolder, eventStoreDb, elasticsearch, hostId, bucket, sharedFolder, logLevel, port } =
  workerData as ProjectionsThreadData
const { readModels: folder } = foldersIn(dataFolder)
const logger = pino({ level: logLevel, name: 'projections' }, pino.destination(2))

const wipeFailed =
  (readModel: StoreName) =>
  (error: Error): void =>
    logger.error({ readModel, err: error }, 'wiping erased content failed and is tried again')

/** Its client takes time and memory to load: only who uses it pays for that. */
async function openIndices(settings: ElasticsearchSettings) {
  const indices = await import('@medialog/read-model/elasticsearch/index')
  const { prefix } = settings
  return { ...indices, options: { client: indices.connectElasticsearch(settings), prefix } }
}

const indices = elasticsearch && (await openIndices(elasticsearch))

/** A projection with what it fills: rows by that definition or documents by that of the index. */
function stored<Change>(
  projection: Projection<Change>,
  definition: ReadModelDefinition<Change>,
  indexOf: (of: NonNullable<typeof indices>) => IndexDefinition<Change>,
): Projected<never> {
  const onWipeFailed = wipeFailed(definition.name)
  const store = indices
    ? indices.openIndexStore({ ...indices.options, definition: indexOf(indices), onWipeFailed })
    : openDatabaseStore({ folder, definition, onWipeFailed })
  return projectedInto(projection, store)
}

/** Read models of documents. */
const records = (store: RecordStore): Projected<never> =>
  stored(recordsProjection(store), documentsDefinition(store), ({ documentsIndex }) => documentsIndex(store))

const projected = [
  stored(catalogProjection, catalogDefinition, ({ catalogIndexOf }) =>
    catalogIndexOf(elasticsearch!.catalogShards),
  ),
  records(accessStore),
  records(recordsStore),
]
const ports = {
  log: await openEventLogReader({ dataFolder, eventStoreDb }, logger),
  artifacts: await openArtifacts({ dataFolder, bucket, sharedFolder }),
  logger,
}

async function share(settings: ElasticsearchSettings) {
  const { openCoordination } = await import('./elasticsearch-read-models.ts')
  return shareProjections(projected, ports, { coordination: openCoordination(settings), holder: hostId })
}

const host = await (elasticsearch ? share(elasticsearch) : startProjections(projected, ports))
serveProjections(port, host)
parentPort!.postMessage('serving', [])
