import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Projection } from '../projection.ts'
import { openDatabaseSource } from '@medialog/read-model/sqlite/database-source'
import { openDatabaseStore } from '@medialog/read-model/sqlite/database-store'
import type { ReadModelDefinition } from '@medialog/read-model/sqlite/definition'
import type { DatabaseSource } from '@medialog/read-model/sqlite/source'
import type { ProjectedEngine } from '@medialog/read-model/testing/projected'

/** These read models look nothing up. */
const NOTHING = { artifacts: { get: async () => null }, log: { async *read() {} } }

/** A read model in SQLite with its projection, without the host. */
export async function openProjected<Change, Port>(
  definition: ReadModelDefinition<Change>,
  projection: Projection<Change>,
  openPort: (source: DatabaseSource) => Port,
): Promise<ProjectedEngine<Port> & { folder: string }> {
  const folder = mkdtempSync(join(tmpdir(), 'medialog-read-model-'))
  const writer = await openDatabaseStore({ folder, definition }).open()
  const source = openDatabaseSource(folder, definition.name)
  return {
    folder,
    port: openPort(source),
    async apply(events) {
      const changes = await Promise.all(
        events.map(async (event) =>
          (await projection.project(event, NOTHING)).map((change) => ({ position: event.position, change })),
        ),
      )
      await writer.applyBatch(changes.flat(), events.at(-1)!.position)
    },
    async close() {
      source.close()
      await writer.close()
      rmSync(folder, { recursive: true })
    },
  }
}
