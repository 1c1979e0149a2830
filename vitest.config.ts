import { defineConfig } from 'vitest/config'
import { LongestFirst } from './test/src/longest-first.ts'

/** Tests that drive the whole service, some of them while it is killed, and engines that are servers. */
const PROCESSES = [
  'test/src/{e2e,faults}/**/*.test.ts',
  'packages/read-model/src/elasticsearch/**/*.test.ts',
  'packages/messaging/src/kafka/**/*.test.ts',
  'workflows/src/temporal/**/*.test.ts',
]

export default defineConfig({
  test: {
    projects: [
      {
        extends: true,
        test: {
          name: 'code',
          include: ['{packages/*,workflows,projections}/src/**/*.test.ts', 'test/src/**/*.test.ts'],
          exclude: PROCESSES,
        },
      },
      // Several processes on a machine with other work: what fails is tried once more, and named at the end of the run.
      { extends: true, test: { name: 'processes', include: PROCESSES, retry: 1 } },
    ],
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
