import { defineConfig } from 'vitest/config'
import { LongestFirst } from './test/src/longest-first.ts'

export default defineConfig({
  test: {
    include: ['{packages/*,workflows,projections}/src/**/*.test.ts', 'test/src/**/*.test.ts'],
    // Tests start real servers and child processes, and mostly one of three waits for those.
    maxWorkers: 3,
    sequence: { sequencer: LongestFirst },
    globalSetup: ['./test/src/require-engines.ts'],
    // Limits end what hangs; a machine with other work must not reach them.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    reporters: ['default', './test/src/summary-reporter.ts'],
  },
})
