import { vi } from 'vitest'
import { useServer } from '../harness/suite.ts'
import { describeHistory } from './suites/history.ts'

vi.setConfig({ testTimeout: 240_000 })

describeHistory(useServer())
