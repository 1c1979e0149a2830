import { parentPort, workerData, type MessagePort } from 'node:worker_threads'
import type { ReadModelName } from '@medialog/application/ports'
import { openFsArtifactStore } from '@medialog/artifacts'
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
import { openEventLogReader, type LogPlace } from './event-log.ts'
import { foldersIn } from './folders.ts'

export interface ProjectionsThreadData extends LogPlace {
  logLevel: string
  /** The other end of `connectProjections`. */
  port: MessagePort
}

/** The thread that follows the log and writes the read models: a composition root of its own. */
const { dataFolder, eventStoreDb, logLevel, port } = workerData as ProjectionsThreadData
const { artifacts, readModels: folder } = foldersIn(dataFolder)
const logger = pino({ level: logLevel, name: 'projections' }, pino.destination(2))

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
      onWipeFailed: (error) =>
        logger.error(
          { readModel: definition.name, err: error },
          'wiping erased content failed and is tried again',
        ),
    }),
  }
  return projected as unknown as Projected<never>
}

const host = await startProjections(
  [
    stored(catalogProjection, catalogDefinition),
    stored(accountsProjection, accountsDefinition),
    stored(usageProjection, usageDefinition),
    stored(workProjection, workDefinition),
    stored(batchesProjection, batchesDefinition),
  ],
  {
    log: await openEventLogReader({ dataFolder, eventStoreDb }),
    artifacts: await openFsArtifactStore(artifacts),
    logger,
  },
)
serveProjections(port, host)
parentPort!.postMessage('serving', [])
