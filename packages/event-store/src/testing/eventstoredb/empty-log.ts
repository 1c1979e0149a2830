import { randomUUID } from 'node:crypto'
import type { EventStoreUnderTest } from '../../contract-suite.ts'
import { openEventStoreDb } from '../../eventstoredb/store.ts'

/** An empty log on the server: a new prefix keeps its streams apart from all others. */
export async function emptyLog(
  url: string,
  close: () => Promise<void> = async () => undefined,
): Promise<EventStoreUnderTest> {
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
