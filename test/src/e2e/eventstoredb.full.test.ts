import { vi } from 'vitest'
import { describeWithEngine } from '../engines.ts'
import { serveOnNamedEventStoreDb } from '../harness/on-eventstoredb.ts'
import { lifeOnEventStoreDb } from './suites/life-on-eventstoredb.ts'

vi.setConfig({ testTimeout: 240_000, hookTimeout: 240_000 })

describeWithEngine('eventstoredb', 'EventStoreDB', async (url) => {
  lifeOnEventStoreDb(await serveOnNamedEventStoreDb(url))
})
