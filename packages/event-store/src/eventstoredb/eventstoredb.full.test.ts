import { describeWithEngine } from '@medialog/test/engines'
import { describeEventStoreContract } from '../contract-suite.ts'
import { emptyLog } from '../testing/eventstoredb/empty-log.ts'

describeWithEngine('eventstoredb', 'EventStoreDB', (url) => {
  describeEventStoreContract('EventStoreDB', () => emptyLog(url))
})
