import {
  EngineUnavailable,
  STORES,
  type Coordination,
  type LogLeaves,
  type StoreName,
  type WebhookStore,
} from '@medialog/application'
import { accountsOf, batchesOf, historyOf, usageOf, workOf, type Checkpoint } from '@medialog/read-model'
import {
  aliasOf,
  connectElasticsearch,
  ElasticsearchRefuses,
  failureOf,
  openElasticsearchCatalog,
  openElasticsearchCoordination,
  openElasticsearchErasureLedger,
  openElasticsearchLeaves,
  openElasticsearchSearch,
  openElasticsearchWebhookStore,
  openIndexDocuments,
  readCheckpoint,
  statusOf,
} from '@medialog/read-model/elasticsearch/index'
import type { ElasticsearchSettings } from '../elasticsearch-settings.ts'
import type { ReadModels } from './read-models.ts'

/** A read waits for it so long: writes, which the projections do, may take longer. */
const READ_TIMEOUT_MS = 10_000
/** A leader must know in time whether it still is one. */
const COORDINATION_TIMEOUT_MS = 3_000

/** Indices of Elasticsearch, for who reads: any process. */
export function openElasticsearchReadModels(settings: ElasticsearchSettings): ReadModels {
  const client = connectElasticsearch(settings, READ_TIMEOUT_MS)
  const from = { client, prefix: settings.prefix }
  const erasures = openElasticsearchErasureLedger(from)
  const search = openElasticsearchSearch(from)
  const records = openIndexDocuments(from, 'records')
  return {
    erasures,
    catalog: openElasticsearchCatalog({ ...from, erasures }),
    search,
    // What is removed gives its space back by itself.
    tombstones: () => ({ items: 0, bytes: 0 }),
    accounts: accountsOf(openIndexDocuments(from, 'access')),
    usage: usageOf(records),
    work: workOf(records),
    batches: batchesOf(records),
    history: historyOf(records),
    async close() {
      await search.close()
      await client.close()
    },
  }
}

/** What is sent to webhooks, for processes that share it. */
export function openWebhookStore(settings: ElasticsearchSettings): WebhookStore {
  const client = connectElasticsearch(settings, READ_TIMEOUT_MS)
  const { prefix } = settings
  return { ...openElasticsearchWebhookStore({ client, prefix }), close: () => client.close() }
}

/** The leaves of the log, for processes that share it. */
export function openSharedLeaves(settings: ElasticsearchSettings): LogLeaves {
  const client = connectElasticsearch(settings, READ_TIMEOUT_MS)
  const { prefix } = settings
  return { ...openElasticsearchLeaves({ client, prefix }), close: () => client.close() }
}

/** How processes that share the indices agree who writes them. */
export function openCoordination(settings: ElasticsearchSettings): Coordination & { close(): Promise<void> } {
  const client = connectElasticsearch(settings, COORDINATION_TIMEOUT_MS)
  const { prefix } = settings
  return { ...openElasticsearchCoordination({ client, prefix }), close: () => client.close() }
}

/**
 * Where the read models in Elasticsearch stand: none of those that are not there, or away and looked at later.
 * @throws ElasticsearchRefuses
 */
export async function elasticsearchCheckpoints(settings: ElasticsearchSettings): Promise<Checkpoint[]> {
  const { prefix } = settings
  const client = connectElasticsearch(settings, READ_TIMEOUT_MS)
  const checkpointOf = async (name: StoreName): Promise<Checkpoint[]> => {
    try {
      return [{ name, ...(await readCheckpoint(client, aliasOf(prefix, name))) }]
    } catch (error) {
      const failure = failureOf(error)
      // Who starts the service can mend that, and no waiting does.
      if (failure instanceof ElasticsearchRefuses) throw failure
      // Away, not there, or being made: its checkpoint comes behind its index.
      if (statusOf(error) === 404 || failure instanceof EngineUnavailable) return []
      throw error
    }
  }
  try {
    return (await Promise.all(STORES.map(checkpointOf))).flat()
  } finally {
    await client.close()
  }
}
