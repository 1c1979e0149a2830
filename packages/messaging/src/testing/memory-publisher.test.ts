import { describeEventPublisherContract } from '../contract-suite.ts'
import { MemoryBroker } from './memory-publisher.ts'

describeEventPublisherContract('memory', async () => {
  const broker = new MemoryBroker()
  return {
    create: (name) => broker.create(name),
    read: async () => [...broker.published],
    close: async () => undefined,
  }
})
