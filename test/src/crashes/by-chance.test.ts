import { expect, test } from 'vitest'
import type { Death } from './points.ts'
import { STORIES } from './stories.ts'
import { tellAll } from './telling.ts'

/** `MEDIALOG_CRASHES=5000 MEDIALOG_CRASH_SEED=7 npx vitest run test/src/crashes/by-chance.test.ts` */
const CRASHES = Number(process.env['MEDIALOG_CRASHES'] ?? 200)
const SEED = Number(process.env['MEDIALOG_CRASH_SEED'] ?? Math.floor(Math.random() * 2 ** 31))
/** Most stories have fewer points than that, some have more. */
const MOST_POINTS = 60
const MOST_DEATHS = 3

test(
  `${CRASHES} times, some of them twice in a row, by chance (MEDIALOG_CRASH_SEED=${SEED})`,
  async () => {
    const random = randomFrom(SEED)
    const below = (limit: number): number => Math.floor(random() * limit)
    const death = (): Death => ({ at: 1 + below(MOST_POINTS), when: below(2) === 0 ? 'before' : 'after' })
    let left = CRASHES
    await tellAll(() => {
      if (left-- <= 0) return null
      const deaths = Array.from({ length: 1 + below(MOST_DEATHS) }, death)
      return { story: STORIES[below(STORIES.length)]!, deaths }
    })
    expect(left).toBeLessThan(0)
  },
  1_000 * CRASHES,
)

/** mulberry32, by Tommy Ettinger: numbers of [0, 1) that the seed decides. */
function randomFrom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
