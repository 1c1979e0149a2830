import { describe, expect, test, vi } from 'vitest'
import { runAtEveryPoint } from './run-scenario.ts'
import { SCENARIOS } from './scenarios.ts'

// Dozens of crashes each, on a machine with other work.
vi.setConfig({ testTimeout: 300_000 })

/** Every tenth point, from one of the first ten by chance. `MEDIALOG_CRASH_STRIDE=1` takes all of them. */
const STRIDE = Number(process.env['MEDIALOG_CRASH_STRIDE'] ?? 10)
const FROM = 1 + Math.floor(Math.random() * STRIDE)

describe.each(SCENARIOS)('$name', (scenario) => {
  test(`holds, crashed after any of its points ${FROM}, ${FROM + STRIDE} and so on`, async () => {
    expect(await runAtEveryPoint(scenario, { from: FROM, stride: STRIDE })).toBeGreaterThan(1)
  })
})

test.each([8, 10, 12])(
  'an upload crashed at point %i holds, crashed again at any point of its recovery',
  async (at) => {
    const scenario = SCENARIOS.find(({ name }) => name === 'an upload')!
    const first = [{ at, when: 'after' as const }]
    expect(await runAtEveryPoint(scenario, { first, from: FROM, stride: STRIDE })).toBeGreaterThan(5)
  },
)
