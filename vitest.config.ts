import { defineConfig } from 'vitest/config'
import { LongestFirst } from './test/src/longest-first.ts'

/** Tests that drive the whole service, some of them while it is killed, and engines that are servers. */
const PROCESSES = [
  'test/src/{e2e,faults,determinism}/**/*.test.ts',
  'test/src/audit/shared-leaves.test.ts',
  'test/src/events/consumer-example.test.ts',
  'packages/read-model/src/elasticsearch/**/*.test.ts',
  'packages/messaging/src/kafka/**/*.test.ts',
  'packages/artifacts/src/s3/**/*.test.ts',
  'projections/src/shared/elasticsearch.test.ts',
  'workflows/src/temporal/**/*.test.ts',
]
/** Tests that start no process and change nothing of their own: one worker runs file after file of them. */
const PURE = ['packages/{application,contract,domain,http,kernel}/src/**/*.test.ts']

export default defineConfig({
  test: {
    projects: [
      {
        extends: true,
        test: {
          name: 'code',
          include: ['{packages/*,workflows,projections}/src/**/*.test.ts', 'test/src/**/*.test.ts'],
          exclude: [...PROCESSES, ...PURE],
        },
      },
      // Several processes on a machine with other work: what fails is tried once more, and named at the end of the run.
      { extends: true, test: { name: 'processes', include: PROCESSES, retry: 1 } },
      { extends: true, test: { name: 'pure', include: PURE, isolate: false } },
    ],
    // Tests start real servers and child processes, and mostly more than half of five wait for those.
    maxWorkers: 5,
    sequence: { sequencer: LongestFirst },
    globalSetup: ['./test/src/require-engines.ts'],
    // Limits end what hangs; a machine with other work must not reach them.
    testTimeout: 60_000,
    hookTimeout: 120_000,
    reporters: ['default', './test/src/summary-reporter.ts'],
  },
})
