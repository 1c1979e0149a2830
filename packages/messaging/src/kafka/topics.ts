import { EngineUnavailable } from '@medialog/application/ports'
import { TOPICS } from '@medialog/contract/events/published'
import kafkajs, { type Admin, type ITopicConfig, type Kafka } from 'kafkajs'
import { checkpointTopic, topicName, type KafkaSettings } from './settings.ts'

/** An event is at most a move of a thousand items or a month's open charges. */
const MOST_MESSAGE_BYTES = 8_388_608
/** Checkpoints are superseded with every transaction: small segments let the broker compact them away soon. */
const CHECKPOINT_SEGMENT_BYTES = 1_048_576

/**
 * Creates the topics that are not there. One that is stays as it is, but the one of checkpoints has to be compacted: from
 * one that forgets by time they would be gone one day, and everything be published again.
 */
export async function prepareTopics(kafka: Kafka, settings: KafkaSettings): Promise<void> {
  const admin = kafka.admin()
  try {
    await admin.connect()
    const there = new Set(await admin.listTopics())
    const missing = topicsOf(settings).filter(({ topic }) => !there.has(topic))
    // The first write to a new topic waits for its leader; the client's own waiting here fails where it is asked too early.
    if (missing.length > 0) await admin.createTopics({ topics: missing, waitForLeaders: false })
    if (there.has(checkpointTopic(settings))) await requireCompacted(admin, checkpointTopic(settings))
  } finally {
    await admin.disconnect()
  }
}

function topicsOf(settings: KafkaSettings): ITopicConfig[] {
  const { partitions, replication, retentionMs } = settings
  const replicationFactor = replication ?? -1
  return [
    ...TOPICS.map((topic) => ({
      topic: topicName(settings, topic),
      numPartitions: partitions,
      replicationFactor,
      configEntries: entries({
        'cleanup.policy': 'delete',
        'retention.ms': retentionMs,
        'max.message.bytes': MOST_MESSAGE_BYTES,
      }),
    })),
    {
      topic: checkpointTopic(settings),
      numPartitions: 1,
      replicationFactor,
      configEntries: entries({
        'cleanup.policy': 'compact',
        'segment.bytes': CHECKPOINT_SEGMENT_BYTES,
        'min.cleanable.dirty.ratio': 0.1,
      }),
    },
  ]
}

const entries = (configuration: { [name: string]: string | number }) =>
  Object.entries(configuration).map(([name, value]) => ({ name, value: String(value) }))

async function requireCompacted(admin: Admin, topic: string): Promise<void> {
  const { resources } = await admin.describeConfigs({
    includeSynonyms: false,
    resources: [{ type: kafkajs.ConfigResourceTypes.TOPIC, name: topic, configNames: ['cleanup.policy'] }],
  })
  const policy = resources[0]?.configEntries[0]?.configValue
  if (policy !== 'compact')
    throw new EngineUnavailable(
      'kafka',
      `The topic ${topic} has cleanup.policy=${policy}: checkpoints need one that is compact.`,
    )
}
