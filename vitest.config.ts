import { defineConfig } from 'vitest/config'
import { LongestFirst } from './test/src/longest-first.ts'
import { keepTemporaryFilesInMemory } from './test/src/temporary-folder.ts'

keepTemporaryFilesInMemory()

/** Tests that need a server beside Medialog, or kill processes. */
const FULL = ['**/*.full.test.ts']
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
          exclude: [...PURE, ...FULL],
        },
      },
      { extends: true, test: { name: 'pure', include: PURE, exclude: FULL, isolate: false } },
      { extends: true, test: { name: 'full', include: FULL, exclude: ['**/node_modules/**'] } },
    ],
    // On two cores, five take as long as four: most tests compute, and some wait for processes.
    maxWorkers: 4,
    sequence: { sequencer: LongestFirst },
    globalSetup: ['./test/src/require-engines.ts'],
    // Limits end what hangs; a machine with other work must not reach them.
    testTimeout: 60_000,
    hookTimeout: 120_000,
    reporters: ['default', './test/src/summary-reporter.ts'],
  },
})
