import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createBackground, newId, type EventPublisher, type PublishedMessage } from '@medialog/application'
import { openSqliteEventStore, type ChainedEventStore } from '@medialog/event-store'
import type { StreamName } from '@medialog/kernel'
import { createKafkaPublisher, startPublishing } from '@medialog/messaging'
import { upload } from '@medialog/messaging/testing/log'
import { deleteTopics, plainKafka, settingsOf } from '@medialog/messaging/testing/topics'
import { Partitioners, type Producer } from 'kafkajs'
import { row, type BenchRows } from '../row.ts'
import { sized } from '../scale.ts'

const UPLOADS = sized(5_000)
/** Accounts that upload at the same time: their streams take turns in the log. */
const ACCOUNTS = 20
const ROUNDS = sized(6)

/**
 * Events a second that the publisher brings from a full log to Kafka, from its first transaction to its last: read, made
 * into CloudEvents, sent, committed with its checkpoint. Against bare kafkajs, which sends the same messages, made
 * beforehand, in the same transactions to topics of its own. The two take turns.
 */
export async function* benchPublish(address: string): BenchRows {
  const folder = mkdtempSync(join(tmpdir(), 'medialog-bench-'))
  const store = await openSqliteEventStore({ path: join(folder, 'log.db') })
  try {
    await fill(store)
    const spent = { publisher: 0, bare: 0 }
    let [events, transactions] = [0, 0]
    // The first round warms up.
    for (let round = -1; round < ROUNDS; round++) {
      const published = await publishAll(store, address)
      const bare = await sendAll(published.batches, address)
      if (round < 0) continue
      spent.publisher += published.milliseconds
      spent.bare += bare
      events += published.batches.flat().length
      transactions += published.batches.length
    }
    const rate = (milliseconds: number) => Math.round((1_000 * events) / milliseconds)
    const name = `Kafka: publishing, ${Math.round(events / transactions)} to a transaction (goal 0.5 or more)`
    yield row(name, rate(spent.bare), rate(spent.publisher), 'events/s')
  } finally {
    await store.close()
    rmSync(folder, { recursive: true })
  }
}

async function fill(store: ChainedEventStore): Promise<void> {
  await Promise.all(
    Array.from({ length: ACCOUNTS }, async () => {
      const accountId = newId()
      const revisions = new Map<string, number>()
      for (let n = 0; n < UPLOADS / ACCOUNTS; n++)
        for (const [stream, events] of Object.entries(
          upload({ accountId, mediaId: newId(), filename: 'a report of the year.pdf' }),
        )) {
          const expected = revisions.get(stream) ?? 'no-stream'
          const { revision } = await store.append(stream as StreamName, expected, events)
          revisions.set(stream, revision)
        }
    }),
  )
}

async function publishAll(store: ChainedEventStore, address: string) {
  const settings = settingsOf(address, { partitions: 6 })
  const batches: PublishedMessage[][] = []
  let [begun, ended] = [0, 0]
  const kafka = createKafkaPublisher(settings, { debug: () => undefined })
  const publisher: EventPublisher = {
    ask: () => kafka.ask(),
    close: () => kafka.close(),
    async open() {
      const session = await kafka.open()
      begun = performance.now()
      return {
        checkpoint: session.checkpoint,
        async publish(messages, checkpoint) {
          await session.publish(messages, checkpoint)
          batches.push([...messages])
          ended = performance.now()
        },
      }
    },
  }
  const publishing = startPublishing({
    log: store,
    publisher,
    background: createBackground((error) => console.error(error)),
    source: '/medialog/bench',
    onStopped: (error) => console.error(error),
  })
  while ((await publishing.status()).behind !== 0) await new Promise((resolve) => setTimeout(resolve, 20))
  await publishing.close()
  await deleteTopics(settings)
  return { milliseconds: ended - begun, batches }
}

/** Milliseconds. */
async function sendAll(batches: readonly PublishedMessage[][], address: string): Promise<number> {
  const settings = settingsOf(address, { partitions: 6 })
  const { prefix } = settings
  const topicMessages = batches.map((batch, number) => [
    ...[...Map.groupBy(batch, ({ topic }) => topic)].map(([topic, messages]) => ({
      topic: `${prefix}.${topic}`,
      messages: messages.map(({ key, headers, value }) => ({ key, headers, value })),
    })),
    {
      topic: `${prefix}.checkpoints`,
      messages: [{ key: 'main', value: JSON.stringify({ position: number, hash: 'a'.repeat(64) }) }],
    },
  ])
  // Makes the topics.
  const publisher = createKafkaPublisher(settings, { debug: () => undefined })
  await publisher.open()
  await publisher.close()
  const producer: Producer = plainKafka(settings).producer({
    transactionalId: randomUUID(),
    maxInFlightRequests: 1,
    createPartitioner: Partitioners.DefaultPartitioner,
    retry: { initialRetryTime: 10, retries: 9 },
  })
  await producer.connect()
  const send = async (batch: (typeof topicMessages)[number]) => {
    const transaction = await producer.transaction()
    await transaction.sendBatch({ topicMessages: batch, acks: -1 })
    await transaction.commit()
  }
  await send([topicMessages[0]!.at(-1)!])
  const begun = performance.now()
  for (const batch of topicMessages) await send(batch)
  const milliseconds = performance.now() - begun
  await producer.disconnect()
  await deleteTopics(settings)
  return milliseconds
}
