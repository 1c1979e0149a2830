import { generateKeyPairSync, randomUUID } from 'node:crypto'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { bucketOf } from '@medialog/artifacts/s3/bucket'
import { keysOf, newBucket } from '@medialog/artifacts/testing/new-bucket'
import { openEventStoreDbReader } from '@medialog/event-store/eventstoredb/store'
import { BEGINNING, type RecordedEvent } from '@medialog/kernel'
import type { KafkaSettings } from '@medialog/messaging/kafka/settings'
import { deleteTopics, settingsOf } from '@medialog/messaging/testing/topics'
import { testIndices } from '@medialog/read-model/testing/elasticsearch-engine'
import { engineAddress } from '../engines.ts'
import { openAccount } from './accounts.ts'
import { asAccount, asOperator, type Client } from './client.ts'
import { environmentOf, newLog, type LogAddress } from './on-eventstoredb.ts'
import { startProcess, type RunningProcess } from './process.ts'

export type Role = 'api' | 'worker' | 'projections' | 'publisher'

export interface ClusterOptions {
  /** How many processes of each role; of one that is not named there is none. */
  processes: Partial<Record<Role, number>>
  /** Of every process, beside what they share. */
  env?: Record<string, string>
  /** Of the test's own; an empty log of EventStoreDB unless named. */
  log?: LogAddress
  /** Addresses of engines in place of the environment's: a proxy, or a server of the test's own. */
  engines?: Partial<Record<'TEMPORAL_ADDRESS' | 'ELASTICSEARCH_URL' | 'KAFKA_BROKERS', string>>
}

export interface StartedAs {
  env?: Record<string, string>
  /** In whose place. */
  at?: number
  /** Another entry than packages/server's own. */
  entry?: string
}

/** Processes of one service on shared engines, and all that is theirs alone on those: names, a log, folders. */
export interface Cluster {
  log: LogAddress
  /** All events that are left in it. */
  events: () => Promise<RecordedEvent[]>
  /** Where they are published, or null where there is no publisher. */
  kafka: KafkaSettings | null
  /** Names of the files that are kept until they are processed. */
  staged: () => Promise<string[]>
  /** In the environment of every process. */
  env: Readonly<Record<string, string>>
  /** Those that were started, in order; one that was killed stays where it was. */
  processes: Record<Role, RunningProcess[]>
  operatorToken: string
  /** One more, or one in the place of another that is gone. */
  start(role: Role, options?: StartedAs): Promise<RunningProcess>
  operator(api?: number): Client
  /** An account with that much USD, its key, and a client of it at any API. */
  openAccount(credit: number): Promise<{ accountId: string; apiKey: string; at: (api: number) => Client }>
  /** Ends all processes, and removes all that they made. */
  remove(): Promise<void>
}

interface SharedFiles {
  env: Record<string, string>
  staged: Cluster['staged']
}

/** Where processes share files: a bucket where there is storage for one, else a folder. */
async function sharedFiles(folder: string): Promise<SharedFiles> {
  const url = engineAddress('s3')
  if (url === null)
    return { env: { MEDIALOG_SHARED_DIR: folder }, staged: () => readdir(join(folder, 'staging')) }
  const { settings } = await newBucket(url)
  return {
    env: {
      S3_URL: url,
      S3_BUCKET: settings.bucket,
      S3_REGION: settings.region,
      S3_ACCESS_KEY_ID: settings.accessKeyId,
      S3_SECRET_ACCESS_KEY: settings.secretAccessKey,
    },
    staged: () => keysOf(bucketOf(settings), 'staging/'),
  }
}

async function eventsOf(log: LogAddress): Promise<RecordedEvent[]> {
  const store = openEventStoreDbReader(log)
  try {
    const events: RecordedEvent[] = []
    for await (const event of store.readAll(BEGINNING)) events.push(event)
    return events
  } finally {
    await store.close()
  }
}

/** An Ed25519 key in PEM, as every process of a service has it. */
const newCheckpointKey = (): string =>
  generateKeyPairSync('ed25519').privateKey.export({ format: 'pem', type: 'pkcs8' }).toString()

/** @throws where an engine that the roles need has no address */
export async function startCluster({
  processes: wanted,
  env = {},
  log: given,
  engines = {},
}: ClusterOptions): Promise<Cluster> {
  const opened = new AsyncDisposableStack()
  const address = (id: 'temporal' | 'elasticsearch' | 'kafka', name: keyof typeof engines): string => {
    const found = engines[name] ?? engineAddress(id)
    if (found === null) throw new Error(`${name} is not set`)
    return found
  }
  const processes: Cluster['processes'] = { api: [], worker: [], projections: [], publisher: [] }
  try {
    const log = given ?? (await newLog(opened))
    const elasticsearch = address('elasticsearch', 'ELASTICSEARCH_URL')
    const indices = testIndices(elasticsearch)
    opened.defer(() => indices.remove())
    const folder = await mkdtemp(join(tmpdir(), 'medialog-processes-'))
    opened.defer(() => rm(folder, { recursive: true, force: true, maxRetries: 3 }))
    const kafka = wanted.publisher ? settingsOf(address('kafka', 'KAFKA_BROKERS')) : null
    if (kafka) opened.defer(() => deleteTopics(kafka))
    const files = await sharedFiles(join(folder, 'shared'))
    const operatorToken = `operator-${randomUUID()}`
    const shared = {
      ...environmentOf(log),
      ELASTICSEARCH_URL: elasticsearch,
      ELASTICSEARCH_PREFIX: indices.prefix,
      TEMPORAL_ADDRESS: address('temporal', 'TEMPORAL_ADDRESS'),
      TEMPORAL_TASK_QUEUE: `test-${randomUUID()}`,
      ...files.env,
      MEDIALOG_OPERATOR_TOKEN: operatorToken,
      MEDIALOG_CHECKPOINT_KEY: newCheckpointKey(),
      METRICS_PORT: '0',
      ...(kafka && { KAFKA_BROKERS: kafka.brokers.join(','), KAFKA_TOPIC_PREFIX: kafka.prefix }),
      ...env,
    }

    async function start(
      role: Role,
      { env: more = {}, at = processes[role].length, ...options }: StartedAs = {},
    ): Promise<RunningProcess> {
      const ownFolder = { MEDIALOG_DATA_DIR: join(folder, `${role}-${at}`) }
      const running = await startProcess({
        ...options,
        roles: role,
        env: { ...shared, ...ownFolder, ...more },
        readyWithinMs: 120_000,
      })
      opened.defer(() => running.kill())
      processes[role][at] = running
      return running
    }
    const operator = (api = 0): Client => asOperator(processes.api[api]!.url, operatorToken)

    for (const [role, count] of Object.entries(wanted))
      await Promise.all(Array.from({ length: count }, (_, at) => start(role as Role, { at })))
    return {
      log,
      events: () => eventsOf(log),
      kafka,
      staged: files.staged,
      env: shared,
      processes,
      operatorToken,
      start,
      operator,
      async openAccount(credit) {
        const name = `account-${randomUUID()}`
        const { accountId, apiKey } = await openAccount(operator(), { name, credit })
        return { accountId, apiKey, at: (api) => asAccount(processes.api[api]!.url, apiKey) }
      },
      remove: () => opened.disposeAsync(),
    }
  } catch (error) {
    await opened.disposeAsync()
    throw error
  }
}
