import { accessSync, constants, existsSync, statSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { dirname } from 'node:path'
import { unlessAway } from '@medialog/application'
import { openBucket } from '@medialog/artifacts'
import { readModelFolder } from '@medialog/embedder'
import { findTrainedData } from '@medialog/understanding'
import { pino } from 'pino'
import { openFormerKey, openSharedKey } from './checkpoint-key.ts'
import { does, type Config } from './config.ts'
import { readableStartError } from './embedded/data-folder.ts'
import { openEventLog } from './embedded/event-log.ts'
import { requireFittingReadModels } from './embedded/log-fits.ts'
import { openConfiguredRateLimiter } from './rate-limiter.ts'
import { openSandbox } from './sandbox.ts'

export interface Checked {
  name: string
  ok: boolean
  /** What was found or, where it is not as it has to be, what is wrong and what to do. */
  detail: string
}

interface Check {
  name: string
  /** What to look at where it fails. */
  mend: string
  /** Answers what was found. @throws where it is not as it has to be */
  look: () => Promise<string> | string
}

const silent = pino({ level: 'silent' })
/** Longer than the clients of the engines take to give up. */
const LONGEST_MS = 20_000

/** Reaches everything that the roles of this configuration need. Starts nothing, and changes nothing but probes. */
export function checkAll(config: Config): Promise<Checked[]> {
  return Promise.all(checksOf(config).map(carriedOut))
}

async function carriedOut({ name, mend, look }: Check): Promise<Checked> {
  const late = new AbortController()
  const tooLate = sleep(LONGEST_MS, undefined, { signal: late.signal }).then(() => {
    throw new Error(`no answer within ${LONGEST_MS / 1000} s`)
  })
  try {
    return { name, ok: true, detail: await Promise.race([(async () => look())(), tooLate]) }
  } catch (error) {
    const [line] = (error as Error).message.split('\n')
    return { name, ok: false, detail: `${line!.replace(/[.:]$/, '')}. Look at ${mend}.` }
  } finally {
    late.abort()
    await tooLate.catch(() => undefined)
  }
}

/** One for each engine that is configured and needed: what is not configured is in this process or its folder. */
function checksOf(config: Config): Check[] {
  const isAsked = does(config, 'api') || does(config, 'worker')
  const keepsFiles = isAsked || does(config, 'projections')
  const signs = config.roles !== null && (does(config, 'api') || does(config, 'projections'))
  return [
    ...(isAsked
      ? [
          folderCheck('data', config.dataFolder, 'MEDIALOG_DATA_DIR'),
          modelsCheck(config),
          sandboxCheck(config),
        ]
      : []),
    ...(keepsFiles
      ? where(config.sharedFolder, (folder) => folderCheck('shared', folder, 'MEDIALOG_SHARED_DIR'))
      : []),
    ...(keepsFiles ? where(config.bucket, bucketCheck) : []),
    ...(signs ? [checkpointKeyCheck(config)] : []),
    ...where(config.eventStoreDb, () => eventLogCheck(config)),
    ...where(config.elasticsearch, elasticsearchCheck),
    ...(keepsFiles && config.eventStoreDb
      ? where(config.elasticsearch, (elasticsearch) => readModelsCheck(config, elasticsearch))
      : []),
    ...(isAsked ? where(config.temporal, temporalCheck) : []),
    ...(does(config, 'api') ? where(config.redis, redisCheck) : []),
    ...(does(config, 'publisher') ? where(config.kafka, kafkaCheck) : []),
  ]
}

/** The check of what is configured; none where it is not. */
const where = <Settings>(settings: Settings | null, checkOf: (settings: Settings) => Check): Check[] =>
  settings === null ? [] : [checkOf(settings)]

const folderCheck = (which: 'data' | 'shared', folder: string, setting: string): Check => ({
  name: `${which} folder`,
  mend: setting,
  look() {
    let there = folder
    while (!existsSync(there)) there = dirname(there)
    try {
      if (!statSync(there).isDirectory())
        throw Object.assign(new Error('no folder'), { code: 'ENOTDIR', path: there })
      accessSync(there, constants.R_OK | constants.W_OK | constants.X_OK)
    } catch (error) {
      throw readableStartError(error, folder, which)
    }
    return there === folder ? `${folder} can be written to` : `${folder} will be made`
  },
})

const sandboxCheck = (config: Config): Check => ({
  name: 'sandbox',
  mend: 'MEDIALOG_SANDBOX',
  look: () => openSandbox(config, silent),
})

const modelsCheck = ({
  ocrLanguages,
  ocrDataFolder,
  embedderFolder,
  formerEmbedderFolder,
}: Config): Check => ({
  name: 'models',
  mend: 'MEDIALOG_OCR_LANGUAGES, MEDIALOG_EMBEDDER and MEDIALOG_FORMER_EMBEDDER',
  async look() {
    findTrainedData(ocrLanguages, ocrDataFolder)
    for (const folder of [embedderFolder, formerEmbedderFolder])
      if (folder !== null) await readModelFolder(folder)
    const read =
      ocrLanguages.length > 0 ? `pictures are read in ${ocrLanguages.join(', ')}` : 'pictures are not read'
    return `${embedderFolder === null ? 'the embedder in the box' : embedderFolder}; ${read}`
  },
})

const checkpointKeyCheck = (config: Config): Check => ({
  name: 'signing key',
  mend: 'MEDIALOG_CHECKPOINT_KEY',
  look: () => {
    openFormerKey(config)
    return openSharedKey(config) === null
      ? 'none: without MEDIALOG_CHECKPOINT_KEY no checkpoint is signed, and deletions with a receipt are refused'
      : 'it signs checkpoints and receipts'
  },
})

const bucketCheck = (bucket: NonNullable<Config['bucket']>): Check => ({
  name: 'object storage',
  mend: 'S3_URL, S3_BUCKET and the keys',
  async look() {
    await openBucket(bucket)
    return `the bucket ${bucket.bucket} is there, and keeps no versions`
  },
})

const eventLogCheck = (config: Config): Check => ({
  name: 'EventStoreDB',
  mend: 'EVENTSTOREDB_URL',
  async look() {
    const log = await openEventLog(config, silent)
    try {
      return `it answers; the log goes up to position ${await log.head()}`
    } finally {
      await log.close()
    }
  },
})

const elasticsearchCheck = (elasticsearch: NonNullable<Config['elasticsearch']>): Check => ({
  name: 'Elasticsearch',
  mend: 'ELASTICSEARCH_URL and ELASTICSEARCH_API_KEY',
  async look() {
    const { connectElasticsearch, requireElasticsearch } =
      await import('@medialog/read-model/elasticsearch/index')
    const client = connectElasticsearch(elasticsearch)
    try {
      const version = await requireElasticsearch(client, elasticsearch.prefix)
      return version === null ? 'it answers' : `it answers; version ${version}`
    } finally {
      await client.close()
    }
  },
})

/** What is away has a line of its own. */
const readModelsCheck = (config: Config, elasticsearch: NonNullable<Config['elasticsearch']>): Check => ({
  name: 'read models',
  mend: 'EVENTSTOREDB_STREAM_PREFIX and ELASTICSEARCH_PREFIX',
  async look() {
    const { elasticsearchCheckpoints } = await import('./embedded/elasticsearch-read-models.ts')
    const compared = await unlessAway(
      (async () => {
        const log = await openEventLog(config, silent)
        try {
          await requireFittingReadModels(log, config, await elasticsearchCheckpoints(elasticsearch))
          return true
        } finally {
          await log.close()
        }
      })(),
    )
    return compared
      ? 'what there is of them was made from this log'
      : 'not compared with the log, which is away'
  },
})

const temporalCheck = (temporal: NonNullable<Config['temporal']>): Check => ({
  name: 'Temporal',
  mend: 'TEMPORAL_ADDRESS, TEMPORAL_NAMESPACE and TEMPORAL_TLS',
  async look() {
    const { requireTemporal } = await import('@medialog/workflows/temporal/reach')
    return `it answers; the namespace ${await requireTemporal(temporal)} is there`
  },
})

const redisCheck = (redis: NonNullable<Config['redis']>): Check => ({
  name: 'Redis',
  mend: 'REDIS_URL',
  async look() {
    const limiter = await openConfiguredRateLimiter(redis, silent)
    try {
      await limiter.check()
      return 'it answers'
    } finally {
      limiter.close()
    }
  },
})

const kafkaCheck = (kafka: NonNullable<Config['kafka']>): Check => ({
  name: 'Kafka',
  mend: 'KAFKA_BROKERS, KAFKA_TLS and KAFKA_SASL_…',
  async look() {
    const { createKafkaPublisher } = await import('@medialog/messaging')
    const publisher = createKafkaPublisher(kafka, silent)
    try {
      await publisher.ask()
      return `${kafka.brokers.join(', ')} answer`
    } finally {
      await publisher.close()
    }
  },
})
