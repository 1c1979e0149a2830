import { randomUUID } from 'node:crypto'
import type { PublishedMessage } from '@medialog/application/ports'
import { TOPICS } from '@medialog/contract/events/published'
import { Kafka, logLevel, Partitioners } from 'kafkajs'
import { quietRequestQueues } from '../kafka/request-queue.ts'
import { topicName, type KafkaSettings } from '../kafka/settings.ts'

/** A record as a reader of committed transactions sees it. */
export interface ReadRecord extends PublishedMessage {
  partition: number
  offset: string
}

const END = 'end-of-what-is-there'

export const settingsOf = (address: string, changed: Partial<KafkaSettings> = {}): KafkaSettings => ({
  brokers: address.split(','),
  prefix: `test-${randomUUID()}`,
  publisher: 'main',
  partitions: 3,
  replication: 1,
  retentionMs: 3_600_000,
  tls: null,
  sasl: null,
  ...changed,
})

export function plainKafka({ brokers }: Pick<KafkaSettings, 'brokers'>): Kafka {
  quietRequestQueues()
  return new Kafka({ clientId: 'test', brokers: [...brokers], logLevel: logLevel.NOTHING })
}

/**
 * Everything in the topics that was committed by now, in the order of each partition. A mark at the end of each says
 * where to stop: it is read once no open transaction before it holds it up.
 */
export async function readTopics(settings: KafkaSettings): Promise<ReadRecord[]> {
  const kafka = plainKafka(settings)
  const topics = TOPICS.map((topic) => topicName(settings, topic))
  const session = randomUUID()
  const marks = await putMarks(kafka, topics, session)
  const consumer = kafka.consumer({ groupId: `${settings.prefix}-${session}`, maxWaitTimeInMs: 200 })
  const records: ReadRecord[] = []
  const done = Promise.withResolvers<void>()
  try {
    await consumer.connect()
    await consumer.subscribe({ topics, fromBeginning: true })
    await consumer.run({
      autoCommit: false,
      eachMessage: async ({ topic, partition, message: { key, value, headers = {}, offset } }) => {
        const text = String(value)
        if (String(key) !== END)
          records.push({
            topic: topic.slice(settings.prefix.length + 1),
            partition,
            offset,
            key: String(key),
            headers: Object.fromEntries(Object.entries(headers).map(([name, of]) => [name, String(of)])),
            value: text,
          })
        else if (text === session && marks.delete(`${topic}/${partition}`) && marks.size === 0) done.resolve()
      },
    })
    await done.promise
  } finally {
    await consumer.disconnect()
  }
  return records
}

async function putMarks(kafka: Kafka, topics: readonly string[], session: string): Promise<Set<string>> {
  const admin = kafka.admin()
  await admin.connect()
  const metadata = await admin.fetchTopicMetadata({ topics: [...topics] })
  await admin.disconnect()
  const producer = kafka.producer({ createPartitioner: Partitioners.DefaultPartitioner })
  await producer.connect()
  const places = metadata.topics.flatMap(({ name, partitions }) =>
    partitions.map(({ partitionId }) => ({ topic: name, partition: partitionId })),
  )
  await producer.sendBatch({
    topicMessages: places.map(({ topic, partition }) => ({
      topic,
      messages: [{ key: END, value: session, partition }],
    })),
  })
  await producer.disconnect()
  return new Set(places.map(({ topic, partition }) => `${topic}/${partition}`))
}

/** Takes the topics away again. */
export async function deleteTopics(settings: KafkaSettings): Promise<void> {
  const admin = plainKafka(settings).admin()
  await admin.connect()
  const topics = (await admin.listTopics()).filter((topic) => topic.startsWith(settings.prefix))
  if (topics.length > 0) await admin.deleteTopics({ topics })
  await admin.disconnect()
}
