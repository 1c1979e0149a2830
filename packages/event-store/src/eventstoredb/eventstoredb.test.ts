import { describeEventStoreContract } from '../contract-suite.ts'
import { describeDamage } from '../testing/eventstoredb/damage-suite.ts'
import { startEventStoreDbDouble } from '../testing/eventstoredb/double.ts'
import { emptyLog } from '../testing/eventstoredb/empty-log.ts'

describeEventStoreContract('EventStoreDB, its double', async () => {
  const server = await startEventStoreDbDouble()
  return emptyLog({ url: server.url }, () => server.stop())
})

describeDamage('EventStoreDB, its double', async () => {
  const server = await startEventStoreDbDouble()
  return { options: { url: server.url }, close: () => server.stop() }
})
