import { randomUUID } from 'node:crypto'
import type { EventStoreUnderTest } from '../../contract-suite.ts'
import { openEventStoreDb, type EventStoreDbOptions } from '../../eventstoredb/store.ts'

export interface LogUnderTest extends EventStoreUnderTest {
  /** What names of its streams begin with on the server. */
  prefix: string
}

/** An empty log on the server: a new prefix keeps its streams apart from all others. */
export async function emptyLog(
  given: Omit<EventStoreDbOptions, 'prefix'>,
  close: () => Promise<void> = async () => undefined,
): Promise<LogUnderTest> {
  const prefix = `test_${randomUUID().replaceAll('-', '')}.`
  const options = { ...given, prefix }
  let store = await openEventStoreDb(options)
  return {
    prefix,
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
