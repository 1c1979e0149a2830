import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['{packages/*,workflows,projections}/src/**/*.test.ts', 'test/src/**/*.test.ts'],
    // Tests start real servers and child processes; two workers keep a small machine honest about time-outs.
    maxWorkers: 2,
    globalSetup: ['./test/src/require-engines.ts'],
    // Limits end what hangs; a machine with other work must not reach them.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    reporters: ['default', './test/src/summary-reporter.ts'],
  },
})
