import { intrude } from '@medialog/event-store/testing/eventstoredb/intruder'
import { vi } from 'vitest'
import { describeWithEngine } from '../engines.ts'
import { serveOnNamedEventStoreDb } from '../harness/on-eventstoredb.ts'
import { damagedStreams } from './suites/damaged-streams.ts'

vi.setConfig({ testTimeout: 240_000, hookTimeout: 240_000 })

describeWithEngine('eventstoredb', 'EventStoreDB', async (url) => {
  const served = await serveOnNamedEventStoreDb(url)
  damagedStreams(served, intrude(url, served.tls))
})
