import { unlessAway } from '@medialog/application'
import { openBucket } from '@medialog/artifacts'
import { pino } from 'pino'
import { does, type Config } from '../config.ts'
import { openEventLog } from '../embedded/event-log.ts'
import { requireFittingReadModels } from '../embedded/log-fits.ts'
import { openConfiguredRateLimiter } from '../rate-limiter.ts'
import type { Check } from './check.ts'

const silent = pino({ level: 'silent' })

/** One for each engine that is configured and needed: what is not configured is in this process or its folder. */
export function engineChecks(config: Config): Check[] {
  const isAsked = does(config, 'api') || does(config, 'worker')
  const keepsFiles = isAsked || does(config, 'projections')
  return [
    ...(keepsFiles ? where(config.bucket, bucketCheck) : []),
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

/** An engine that is unavailable has a line of its own. */
const readModelsCheck = (config: Config, elasticsearch: NonNullable<Config['elasticsearch']>): Check => ({
  name: 'read models',
  mend: 'EVENTSTOREDB_STREAM_PREFIX and ELASTICSEARCH_PREFIX',
  async look() {
    const { elasticsearchCheckpoints } = await import('../embedded/elasticsearch-read-models.ts')
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
      : 'not compared with the log, which is unavailable'
  },
})

const temporalCheck = (temporal: NonNullable<Config['temporal']>): Check => ({
  name: 'Temporal',
  isAwaited: true,
  mend: 'TEMPORAL_ADDRESS, TEMPORAL_NAMESPACE and TEMPORAL_TLS',
  async look() {
    const { requireTemporal } = await import('@medialog/workflows/temporal/reach')
    return `it answers; the namespace ${await requireTemporal(temporal)} is there`
  },
})

const redisCheck = (redis: NonNullable<Config['redis']>): Check => ({
  name: 'Redis',
  isAwaited: true,
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
  isAwaited: true,
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
