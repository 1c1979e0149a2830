import { describe, expect, test, vi } from 'vitest'
import { SCENARIOS } from './scenarios.ts'
import { runAll } from './run-scenario.ts'

// Up to a hundred crashes each, on a machine with other work.
vi.setConfig({ testTimeout: 300_000 })

/** More points than any scenario has. */
const MOST_POINTS = 500

describe.each(SCENARIOS)('$name', (scenario) => {
  test('holds, crashed after any of its points', async () => {
    let at = 0
    await runAll((crashed) => {
      if (at > 0 && crashed === 0) return null
      expect(++at).toBeLessThan(MOST_POINTS)
      return { scenario, crashes: [{ at, when: 'after' }] }
    })
    expect(at).toBeGreaterThan(1)
  })
})

test.each([8, 10, 12])(
  'an upload crashed at point %i holds, crashed again at any point of its recovery',
  async (first) => {
    const scenario = SCENARIOS.find(({ name }) => name === 'an upload')!
    let at = 0
    await runAll((crashed) => {
      if (at > 0 && crashed < 2) return null
      expect(++at).toBeLessThan(MOST_POINTS)
      return {
        scenario,
        crashes: [
          { at: first, when: 'after' },
          { at, when: 'after' },
        ],
      }
    })
    expect(at).toBeGreaterThan(5)
  },
)
