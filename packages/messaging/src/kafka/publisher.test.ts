import { describeWithEngine } from '@medialog/test/engines'
import { describeEventPublisherContract } from '../contract-suite.ts'
import { deleteTopics, readTopics, settingsOf } from '../testing/topics.ts'
import { createKafkaPublisher } from './publisher.ts'

const logger = { debug: () => undefined }

describeWithEngine('kafka', 'the publisher of Kafka', (address) => {
  describeEventPublisherContract('Kafka', async () => {
    const settings = settingsOf(address)
    return {
      create: (publisher) => createKafkaPublisher({ ...settings, publisher }, logger),
      read: async () =>
        (await readTopics(settings)).map(({ topic, key, headers, value }) => ({
          topic,
          key,
          headers,
          value,
        })),
      close: () => deleteTopics(settings),
    }
  })
})
