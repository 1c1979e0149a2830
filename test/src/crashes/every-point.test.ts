import { describe, expect, test, vi } from 'vitest'
import { runAtEveryPoint } from './run-scenario.ts'
import { SCENARIOS } from './scenarios.ts'

// Up to a hundred crashes each, on a machine with other work.
vi.setConfig({ testTimeout: 300_000 })

describe.each(SCENARIOS)('$name', (scenario) => {
  test('holds, crashed after any of its points', async () => {
    expect(await runAtEveryPoint(scenario)).toBeGreaterThan(1)
  })
})

test.each([8, 10, 12])(
  'an upload crashed at point %i holds, crashed again at any point of its recovery',
  async (at) => {
    const scenario = SCENARIOS.find(({ name }) => name === 'an upload')!
    expect(await runAtEveryPoint(scenario, { first: [{ at, when: 'after' }] })).toBeGreaterThan(5)
  },
)
