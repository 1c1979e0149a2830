import { describeEventStoreContract } from '../contract-suite.ts'
import { startEventStoreDbDouble } from '../testing/eventstoredb/double.ts'
import { emptyLog } from '../testing/eventstoredb/empty-log.ts'

describeEventStoreContract('EventStoreDB, its double', async () => {
  const server = await startEventStoreDbDouble()
  return emptyLog(server.url, () => server.stop())
})
