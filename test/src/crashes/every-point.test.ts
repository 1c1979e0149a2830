import { describe, expect, test, vi } from 'vitest'
import { STORIES } from './stories.ts'
import { tellAll } from './telling.ts'

// A few hundred crashes each, on a machine with other work.
vi.setConfig({ testTimeout: 300_000 })

/** More points than any story has. */
const MOST_POINTS = 500

describe.each(STORIES)('$name', (story) => {
  test('holds, after whichever point the service dies', async () => {
    let at = 0
    await tellAll((died) => {
      if (at > 0 && died === 0) return null
      expect(++at).toBeLessThan(MOST_POINTS)
      return { story, deaths: [{ at, when: 'after' }] }
    })
    expect(at).toBeGreaterThan(1)
  })
})

test.each([8, 10, 12])(
  'an upload holds that died at point %i, at whichever point its recovery dies',
  async (first) => {
    const story = STORIES.find(({ name }) => name === 'an upload')!
    let at = 0
    await tellAll((died) => {
      if (at > 0 && died < 2) return null
      expect(++at).toBeLessThan(MOST_POINTS)
      return {
        story,
        deaths: [
          { at: first, when: 'after' },
          { at, when: 'after' },
        ],
      }
    })
    expect(at).toBeGreaterThan(5)
  },
)
