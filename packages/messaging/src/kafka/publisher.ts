import { randomUUID } from 'node:crypto'
import {
  PublisherSuperseded,
  type EventPublisher,
  type PublishedMessage,
  type PublishedUpTo,
  type PublisherSession,
} from '@medialog/application/ports'
import { Partitioners, type Kafka, type Message, type Producer, type TopicMessages } from 'kafkajs'
import { checkpointRecord, openedRecord, ownerRecord, readStanding } from './checkpoints.ts'
import { asEngine, connectKafka, RETRY, type KafkaLogger } from './client.ts'
import { checkpointTopic, topicName, type KafkaSettings } from './settings.ts'
import { prepareTopics } from './topics.ts'

/** A transaction that its producer leaves open holds up readers that long, or until the next session. It fails then. */
const TRANSACTION_MS = 30_000
/** A group of readers that is new, and a broker that just started, take some seconds each. */
const OPENING_MS = 60_000
const ASKING_MS = 20_000
/** Messages of one request: a partition's share of them has to be below what a topic takes at once. */
const MOST_REQUEST_CHARACTERS = 524_288
/** What a message takes beside its value, about. */
const OVERHEAD_CHARACTERS = 600

/**
 * Publishes to Kafka. Messages and checkpoint are one transaction, the checkpoint a record in a compacted topic. An offset
 * of a consumer group, which could be part of a transaction too, is forgotten by the broker a week after the group was
 * last used, and everything would be published again.
 *
 * The transactional id is the publisher's, so a session that is opened aborts what another one left and shuts it out.
 * That alone does not tell who is to go on: a publisher that was cut off for a while would shut out the one that took its
 * place. So a new publisher claims the name in the same topic, and one that resumes reads the last claim.
 */
export function createKafkaPublisher(settings: KafkaSettings, logger: KafkaLogger): EventPublisher {
  return new KafkaPublisher(settings, connectKafka(settings, logger))
}

class KafkaPublisher implements EventPublisher {
  readonly #settings: KafkaSettings
  readonly #kafka: Kafka
  readonly #instance = randomUUID()
  #claimed = false
  #producer: Producer | null = null

  constructor(settings: KafkaSettings, kafka: Kafka) {
    this.#settings = settings
    this.#kafka = kafka
  }

  async open(): Promise<PublisherSession> {
    const { publisher } = this.#settings
    const { producer, owner, checkpoint } = await asEngine(OPENING_MS, (signal) => this.#begin(signal))
    if (owner !== this.#instance) {
      void this.close()
      throw new PublisherSuperseded(publisher)
    }
    return {
      checkpoint,
      publish: (messages, upTo) => asEngine(TRANSACTION_MS, () => this.#publish(producer, messages, upTo)),
    }
  }

  async ask(): Promise<void> {
    await asEngine(ASKING_MS, async () => {
      const admin = this.#kafka.admin()
      try {
        await admin.connect()
        await admin.describeCluster()
      } finally {
        await admin.disconnect()
      }
    })
  }

  async close(): Promise<void> {
    const producer = this.#producer
    this.#producer = null
    await producer?.disconnect().catch(() => undefined)
  }

  async #begin(signal: AbortSignal) {
    // It waits endlessly for a broker that does not answer. This session fences out what it still sends.
    void this.close()
    const { prefix, publisher } = this.#settings
    await prepareTopics(this.#kafka, this.#settings)
    signal.throwIfAborted()
    const producer = this.#kafka.producer({
      transactionalId: `${prefix}.${publisher}`,
      transactionTimeout: TRANSACTION_MS,
      maxInFlightRequests: 1,
      allowAutoTopicCreation: false,
      createPartitioner: Partitioners.DefaultPartitioner,
      retry: RETRY,
    })
    this.#producer = producer
    await producer.connect()
    signal.throwIfAborted()
    const session = randomUUID()
    const claim = this.#claimed ? [] : [ownerRecord(publisher, this.#instance)]
    await commit(producer, [[this.#recorded(...claim, openedRecord(publisher, session))]])
    this.#claimed = true
    signal.throwIfAborted()
    return { producer, ...(await readStanding(this.#kafka, this.#settings, session, signal)) }
  }

  async #publish(
    producer: Producer,
    messages: readonly PublishedMessage[],
    upTo: PublishedUpTo,
  ): Promise<void> {
    const requests = requestsOf(messages).map((request) => this.#byTopic(request))
    requests.at(-1)!.push(this.#recorded(checkpointRecord(this.#settings.publisher, upTo)))
    await commit(producer, requests)
  }

  #recorded(...messages: Message[]): TopicMessages {
    return { topic: checkpointTopic(this.#settings), messages }
  }

  /** Without a time of their own: retention counts from when they were published, however old they are. */
  #byTopic(messages: readonly PublishedMessage[]): TopicMessages[] {
    return [...Map.groupBy(messages, ({ topic }) => topic)].map(([topic, of]) => ({
      topic: topicName(this.#settings, topic),
      messages: of.map(({ key, headers, value }) => ({ key, headers, value })),
    }))
  }
}

async function commit(producer: Producer, requests: readonly TopicMessages[][]): Promise<void> {
  const transaction = await producer.transaction()
  for (const topicMessages of requests) await transaction.sendBatch({ topicMessages, acks: -1 })
  await transaction.commit()
}

/** Parts of a bounded size, in order; at least one. */
function requestsOf(messages: readonly PublishedMessage[]): PublishedMessage[][] {
  const requests: PublishedMessage[][] = [[]]
  let size = 0
  for (const message of messages) {
    const characters = message.value.length + OVERHEAD_CHARACTERS
    if (size > 0 && size + characters > MOST_REQUEST_CHARACTERS) {
      requests.push([])
      size = 0
    }
    requests.at(-1)!.push(message)
    size += characters
  }
  return requests
}
