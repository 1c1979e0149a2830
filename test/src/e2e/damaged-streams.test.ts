import { intrude } from '@medialog/event-store/testing/eventstoredb/intruder'
import { vi } from 'vitest'
import { serveOnEventStoreDb } from '../harness/on-eventstoredb.ts'
import { damagedStreams } from './suites/damaged-streams.ts'

vi.setConfig({ testTimeout: 240_000, hookTimeout: 240_000 })

const served = await serveOnEventStoreDb()
damagedStreams(served, intrude(served.url))
