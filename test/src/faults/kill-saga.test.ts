import { describe, expect, test } from 'vitest'
import { useKillable, walk } from './killable.ts'
import { uploadAndDie } from './killed-upload.ts'

/** More points than a saga has: the walk ends where an upload gets through. */
const MOST_POINTS = 60
const killable = useKillable()

describe.each([
  ['after each awaited point', 'after', 1],
  // What is left is what the point before it leaves, but for what is done between the two.
  ['before awaited points', 'before', 3],
] as const)('kill -9 %s of the saga', (_, when, stride) => {
  test(
    'leaves each upload stored and charged, or absent and refunded',
    async () => {
      const points = await walk((n) => uploadAndDie(killable, n, when), { most: MOST_POINTS, stride })
      // stage, start of the request, claim, charge, understand, two artifacts, record, complete, settle, …
      expect(points).toBeGreaterThanOrEqual(10)
    },
    30 * 60_000,
  )
})
