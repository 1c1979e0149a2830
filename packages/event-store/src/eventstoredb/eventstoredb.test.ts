import { randomUUID } from 'node:crypto'
import { describeWithEngine } from '@medialog/test/engines'
import { describeEventStoreContract, type EventStoreUnderTest } from '../contract-suite.ts'
import { startEventStoreDbDouble } from '../testing/eventstoredb/double.ts'
import { openEventStoreDb } from './store.ts'

/** A log of its own on the server: streams of others are none of it. */
async function emptyLog(url: string, close: () => Promise<void>): Promise<EventStoreUnderTest> {
  const options = { url, prefix: `test-${randomUUID()}.` }
  let store = await openEventStoreDb(options)
  return {
    store,
    async reopen() {
      await store.close()
      return (store = await openEventStoreDb(options))
    },
    async close() {
      await store.close()
      await close()
    },
  }
}

describeEventStoreContract('EventStoreDB, its double', async () => {
  const server = await startEventStoreDbDouble()
  return emptyLog(server.url, () => server.stop())
})

describeWithEngine('eventstoredb', 'EventStoreDB', (url) => {
  describeEventStoreContract('EventStoreDB', () => emptyLog(url, async () => undefined))
})
