import fc from 'fast-check'
import { expect, test } from 'vitest'
import { runAll } from './run-scenario.ts'
import { SCENARIOS } from './scenarios.ts'

/** `MEDIALOG_CRASHES=5000 MEDIALOG_CRASH_SEED=7 npx vitest run test/src/crashes/by-chance.test.ts` */
const RUNS = Number(process.env['MEDIALOG_CRASHES'] ?? 25)
const SEED = Number(process.env['MEDIALOG_CRASH_SEED'] ?? Math.floor(Math.random() * 2 ** 31))
/** Most scenarios have fewer points than that, some have more. */
const MOST_POINTS = 60
/** At the third a batch gives up the file that was worked on each time. */
const MOST_CRASHES = 2

const crash = fc.record({
  at: fc.integer({ min: 1, max: MOST_POINTS }),
  when: fc.constantFrom('before' as const, 'after' as const),
})
const planned = fc.record({
  scenario: fc.constantFrom(...SCENARIOS),
  crashes: fc.array(crash, { minLength: 1, maxLength: MOST_CRASHES }),
})

test(
  `${RUNS} scenarios hold, crashed at random points up to ${MOST_CRASHES} times (MEDIALOG_CRASH_SEED=${SEED})`,
  async () => {
    const plans = fc.sample(planned, { numRuns: RUNS, seed: SEED })
    await runAll(() => plans.pop() ?? null)
    expect(plans).toEqual([])
  },
  1_000 * RUNS,
)
