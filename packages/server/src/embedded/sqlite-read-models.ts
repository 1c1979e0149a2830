import type { Damage, StoreName } from '@medialog/application'
import type { LogPosition } from '@medialog/kernel'
import {
  countTombstones,
  accountsOf,
  batchesOf,
  historyOf,
  openCatalog,
  openDatabaseSource,
  openDocuments,
  openErasureLedger,
  openSearch,
  usageOf,
  workOf,
} from '@medialog/read-model'
import type { Logger } from 'pino'
import { foldersIn } from './folders.ts'
import type { ReadModels } from './read-models.ts'

interface SqliteReadModelsOptions {
  dataFolder: string
  /** How far the catalog's projection is known to be. */
  catalogPosition: () => LogPosition
  onDamage: (name: StoreName, damage: Damage) => void
  logger: Logger
}

/** Rows in files of the data folder, and search in a thread of its own. */
export function openSqliteReadModels({
  dataFolder,
  catalogPosition,
  onDamage,
  logger,
}: SqliteReadModelsOptions): ReadModels {
  const opened = new AsyncDisposableStack()
  const open = <T extends { close(): unknown }>(engine: T): T =>
    opened.adopt(engine, (it) => it.close() as Promise<void>)
  const { readModels: folder, erased } = foldersIn(dataFolder)
  const source = (name: StoreName) =>
    open(openDatabaseSource(folder, name, (damage) => onDamage(name, damage)))
  const records = openDocuments(source('records'))
  const erasures = open(
    openErasureLedger(erased, (reason) =>
      logger.warn({ reason }, 'the erasure ledger was damaged: erasures are done again from the log'),
    ),
  )
  const items = source('catalog')
  const catalog = openCatalog(items, erasures, catalogPosition)
  const search = open(
    openSearch({
      folder,
      catalog,
      onDamage: (damage) => onDamage('catalog', damage),
      onDeath: (error) => logger.error({ err: error }, 'the search thread died and is started again'),
    }),
  )
  return {
    erasures,
    catalog,
    search,
    tombstones: () => countTombstones(items),
    accounts: accountsOf(openDocuments(source('access'))),
    usage: usageOf(records),
    work: workOf(records),
    batches: batchesOf(records),
    history: historyOf(records),
    close: () => opened.disposeAsync(),
  }
}
