import type { PublishedUpTo } from '@medialog/application/ports'
import type { StreamName } from '@medialog/kernel'
import type { Kafka, Message } from 'kafkajs'
import { z } from 'zod'
import { RETRY } from './client.ts'
import { checkpointTopic, type KafkaSettings } from './settings.ts'

const WAITING_FOR_MORE_MS = 500

const Checkpoint = z.object({
  position: z.int().nonnegative(),
  stream: z.custom<StreamName>((name) => typeof name === 'string'),
  revision: z.int().nonnegative(),
  hash: z.string(),
})
const Owner = z.object({ instance: z.string() })
const Opened = z.object({ session: z.string() })

/**
 * The records that a publisher leaves in the topic of checkpoints, each superseding the one before it with the same key:
 * where it stands, who claimed its name last, and the latest session, which marks how far to read.
 */
export const checkpointRecord = (publisher: string, upTo: PublishedUpTo): Message =>
  record(publisher, 'checkpoint', upTo satisfies z.input<typeof Checkpoint>)
export const ownerRecord = (publisher: string, instance: string): Message =>
  record(publisher, 'owner', { instance } satisfies z.input<typeof Owner>)
export const openedRecord = (publisher: string, session: string): Message =>
  record(publisher, 'opened', { session } satisfies z.input<typeof Opened>)

const record = (publisher: string, what: string, value: object): Message => ({
  key: keyOf(publisher, what),
  value: JSON.stringify(value),
})
const keyOf = (publisher: string, what: string): string => `${publisher}/${what}`

export interface Standing {
  owner: string | null
  checkpoint: PublishedUpTo | null
}

/**
 * What committed transactions say of the publisher, up to the record of this session. No earlier session can add to
 * that: the broker refuses them since this one has the producer.
 */
export async function readStanding(
  kafka: Kafka,
  settings: KafkaSettings,
  session: string,
  signal: AbortSignal,
): Promise<Standing> {
  const topic = checkpointTopic(settings)
  const groupId = `${topic}-${session}`
  const consumer = kafka.consumer({
    groupId,
    readUncommitted: false,
    allowAutoTopicCreation: false,
    maxWaitTimeInMs: WAITING_FOR_MORE_MS,
    retry: { ...RETRY, restartOnFailure: async () => false },
  })
  const standing: Standing = { owner: null, checkpoint: null }
  const done = Promise.withResolvers<void>()
  const { publisher } = settings
  const take = new Map<string, (value: unknown) => void>([
    [keyOf(publisher, 'checkpoint'), (value) => (standing.checkpoint = Checkpoint.parse(value))],
    [keyOf(publisher, 'owner'), (value) => (standing.owner = Owner.parse(value).instance)],
    [
      keyOf(publisher, 'opened'),
      (value) => {
        if (Opened.parse(value).session === session) done.resolve()
      },
    ],
  ])
  // It may crash before anybody waits.
  done.promise.catch(() => undefined)
  consumer.on('consumer.crash', ({ payload }) => done.reject(payload.error))
  const stop = (): void => done.reject(signal.reason)
  signal.addEventListener('abort', stop)
  try {
    await consumer.connect()
    await consumer.subscribe({ topics: [topic], fromBeginning: true })
    await consumer.run({
      autoCommit: false,
      eachMessage: async ({ message: { key, value } }) =>
        take.get(String(key))?.(JSON.parse(String(value)) as unknown),
    })
    await done.promise
    return standing
  } finally {
    signal.removeEventListener('abort', stop)
    await consumer.disconnect()
  }
}
