import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['{packages/*,workflows,projections}/src/**/*.test.ts', 'test/src/**/*.test.ts'],
    // Tests start real servers and child processes; two workers keep a small machine honest about time-outs.
    maxWorkers: 2,
    testTimeout: 20_000,
    hookTimeout: 30_000,
    reporters: ['default', './test/src/summary-reporter.ts'],
  },
})
