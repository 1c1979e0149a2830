import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ArtifactStore, ReadModelName } from '@medialog/application/ports'
import type { RecordStore } from '@medialog/read-model/documents'
import { documentsDefinition } from '@medialog/read-model/sqlite/documents'
import { catalogDefinition } from '@medialog/read-model/sqlite/catalog/definition'
import { openDatabaseStore } from '@medialog/read-model/sqlite/database-store'
import type { ReadModelDefinition } from '@medialog/read-model/sqlite/definition'
import { catalogProjection } from '../catalog.ts'
import { startProjections, type ProjectionHost } from '../host.ts'
import { accessStore, recordsStore } from '@medialog/read-model/records/stores'
import { projectedInto, type Log, type Projected } from '../ports.ts'
import type { Projection } from '../projection.ts'
import { recordsProjection } from '../records.ts'
import { createHistory } from './history.ts'
import { createMemoryArtifacts } from './memory-artifacts.ts'
import { MemoryEventStore } from './memory-event-store.ts'

/** All read models in SQLite in that folder. */
export function projectedIn(folder: string, onWipeFailed?: () => void): Projected<never>[] {
  const projected = <Change>(projection: Projection<Change>, definition: ReadModelDefinition<Change>) =>
    projectedInto(projection, openDatabaseStore({ folder, definition, onWipeFailed }))
  const records = (store: RecordStore) => projected(recordsProjection(store), documentsDefinition(store))
  return [projected(catalogProjection, catalogDefinition), records(accessStore), records(recordsStore)]
}

export const temporaryFolder = (): string => mkdtempSync(join(tmpdir(), 'medialog-projections-'))

/** A log, artifacts and projections over them, with what was logged. */
export async function startService(options: { folder?: string; log?: Log; artifacts?: ArtifactStore } = {}) {
  const folder = options.folder ?? temporaryFolder()
  const store = new MemoryEventStore()
  const artifacts = createMemoryArtifacts()
  const logged: string[] = []
  const say = (_: object, message: string): void => void logged.push(message)
  const start = (): Promise<ProjectionHost> =>
    startProjections(
      projectedIn(folder, () => logged.push('wiping failed')),
      {
        log: options.log ?? store,
        artifacts: options.artifacts ?? artifacts,
        logger: { info: () => undefined, warn: say, error: say },
      },
    )
  let host = await start()
  return {
    folder,
    store,
    artifacts,
    logged,
    history: createHistory(store, artifacts),
    get host() {
      return host
    },
    reached: async (...readModels: ReadModelName[]) =>
      host.reached(await store.head(), {
        timeoutMs: 5_000,
        ...(readModels.length > 0 && { readModels }),
      }),
    async restart() {
      await host.close()
      host = await start()
    },
    async close() {
      await host.close()
      rmSync(folder, { recursive: true })
    },
  }
}

export type Service = Awaited<ReturnType<typeof startService>>
