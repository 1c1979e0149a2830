import { defineConfig } from 'vitest/config'
import { LongestFirst } from './test/src/longest-first.ts'
import { keepTemporaryFilesInMemory } from './test/src/temporary-folder.ts'

keepTemporaryFilesInMemory()

/** Tests that need a server beside Medialog, or kill processes. */
const FULL = ['**/*.full.test.ts']
/** Tests of a package: one worker runs file after file of them, which saves its start and what they all import. */
const OF_PACKAGES = ['{packages/*,workflows,projections}/src/**/*.test.ts']

export default defineConfig({
  test: {
    projects: [
      { extends: true, test: { name: 'packages', include: OF_PACKAGES, exclude: FULL, isolate: false } },
      { extends: true, test: { name: 'service', include: ['test/src/**/*.test.ts'], exclude: FULL } },
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
