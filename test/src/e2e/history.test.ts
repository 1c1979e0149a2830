import { vi } from 'vitest'
import { useServer } from '../harness/suite.ts'
import { describeHistory } from './suites/history.ts'
import { describeListingThen } from './suites/listing-then.ts'

vi.setConfig({ testTimeout: 240_000 })

const server = useServer()
describeHistory(server)
describeListingThen(server)
