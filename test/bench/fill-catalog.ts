import { join } from 'node:path'
import type { CatalogChange } from '@medialog/application/ports'
import { catalogDefinition, openDatabaseStore } from '@medialog/read-model'
import { fillLog } from './fill-log.ts'
import { progress } from './progress.ts'

const WRITTEN_AT_ONCE = 500

type Stored = Extract<CatalogChange, { type: 'PutItem' }>

/** Puts items of an account into the catalog of a stopped server, at positions of other events of its log. */
export async function fillCatalog(
  dataFolder: string,
  accountId: string,
  items: Iterable<Stored>,
  count: number,
): Promise<void> {
  await fillLog(dataFolder, count)
  const folder = join(dataFolder, 'read-models')
  const writer = await openDatabaseStore({ folder, definition: catalogDefinition }).open()
  let position = writer.position
  let batch: { change: CatalogChange; position: number }[] = []
  const write = async (): Promise<void> => {
    if (batch.length > 0) await writer.applyBatch(batch, position)
    batch = []
  }
  let written = 0
  for (const change of items) {
    position++
    batch.push({ change: { ...change, item: { ...change.item, accountId } }, position })
    if (batch.length === WRITTEN_AT_ONCE) await write()
    progress('items written', written++, count)
  }
  await write()
  await writer.close()
}
