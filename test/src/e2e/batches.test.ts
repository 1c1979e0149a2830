import { vi } from 'vitest'
import { useServer } from '../harness/suite.ts'
import { describeBatches } from './suites/batches.ts'

vi.setConfig({ testTimeout: 120_000 })

describeBatches(useServer())
