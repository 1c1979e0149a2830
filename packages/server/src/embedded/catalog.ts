import { EngineUnavailable, type Catalog, type Damage, type Search } from '@medialog/application'
import {
  countTombstones,
  openCatalog,
  openDatabaseSource,
  openSearch,
  type Checkpoint,
  type SqliteErasureLedger,
} from '@medialog/read-model'
import type { LogPosition } from '@medialog/kernel'
import type { Logger } from 'pino'
import type { ElasticsearchSettings } from '../elasticsearch-settings.ts'
import type { Engines } from '../service.ts'

/** What items are listed, read and searched with. */
export interface CatalogEngines extends Pick<Engines, 'catalog' | 'search' | 'tombstones'> {
  close(): Promise<void>
}

interface EmbeddedCatalogOptions {
  /** Where its files are. */
  folder: string
  erasures: SqliteErasureLedger
  /** How far the catalog's projection is known to be. */
  position: () => LogPosition
  onDamage: (damage: Damage) => void
  logger: Logger
}

/** Rows in files, and search in a thread of its own. */
export function openEmbeddedCatalog({
  folder,
  erasures,
  position,
  onDamage,
  logger,
}: EmbeddedCatalogOptions): CatalogEngines {
  const source = openDatabaseSource(folder, 'catalog', onDamage)
  const search = openSearch({
    folder,
    onDamage,
    onDeath: (error) => logger.error({ err: error }, 'the search thread died and is started again'),
  })
  return {
    catalog: openCatalog(source, erasures, position),
    search,
    tombstones: () => countTombstones(source),
    async close() {
      await search.close()
      source.close()
    },
  }
}

/** A read waits for it so long: writes, which the projections do, may take longer. */
const READ_TIMEOUT_MS = 10_000

/** Indices of Elasticsearch, for who reads. Loaded only where it is configured. */
export async function openDistributedCatalog(
  settings: ElasticsearchSettings,
  erasures: SqliteErasureLedger,
): Promise<CatalogEngines> {
  const { prefix } = settings
  const { connectElasticsearch, openElasticsearchCatalog, openElasticsearchSearch } = await elasticsearch()
  const client = connectElasticsearch(settings, READ_TIMEOUT_MS)
  const catalog: Catalog = openElasticsearchCatalog({ client, prefix, erasures })
  const search: Search = openElasticsearchSearch({ client, prefix })
  return {
    catalog,
    search,
    // What is removed gives its space back by itself.
    tombstones: () => ({ items: 0, bytes: 0 }),
    async close() {
      await search.close()
      await client.close()
    },
  }
}

/** Where the catalog in Elasticsearch stands; null where there is none, or it is away and will be looked at later. */
export async function distributedCheckpoint(settings: ElasticsearchSettings): Promise<Checkpoint | null> {
  const { aliasOf, connectElasticsearch, failureOf, readCheckpoint } = await elasticsearch()
  const client = connectElasticsearch(settings, READ_TIMEOUT_MS)
  try {
    return { name: 'catalog', ...(await readCheckpoint(client, aliasOf(settings.prefix))) }
  } catch (error) {
    if (failureOf(error) instanceof EngineUnavailable) return null
    throw error
  } finally {
    await client.close()
  }
}

const elasticsearch = () => import('@medialog/read-model/elasticsearch/index')
