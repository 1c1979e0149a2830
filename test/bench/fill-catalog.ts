import { join } from 'node:path'
import type { CatalogChange } from '@medialog/application/ports'
import { catalogDefinition, openDatabaseStore } from '@medialog/read-model'
import { put } from '@medialog/read-model/testing/items'
import { fillLog } from './fill-log.ts'
import { progress } from './progress.ts'

/** Texts of a library, a minute apart, in as many collections. */
export function* libraryItems(count: number, collections: number): Generator<Stored> {
  for (let item = 0; item < count; item++)
    yield put({
      media: `item ${item}`,
      filename: `item-${item}.txt`,
      collection: `collection-${item % collections}`,
      createdAt: 1_700_000_000_000 + item * 60_000,
      topics: [`topic ${item % 17}`],
    })
}

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
