import { describeWithEngine } from '@medialog/test/engines'
import { describeEventStoreContract } from '../contract-suite.ts'
import { describeDamage } from '../testing/eventstoredb/damage-suite.ts'
import { emptyLog } from '../testing/eventstoredb/empty-log.ts'
import { tlsOfEventStoreDb } from '../testing/eventstoredb/named.ts'

describeWithEngine('eventstoredb', 'EventStoreDB', (url) => {
  const options = { url, tls: tlsOfEventStoreDb() }
  describeEventStoreContract('EventStoreDB', () => emptyLog(options))
  describeDamage('EventStoreDB', async () => ({ options, close: async () => undefined }))
})
