import { describe, expect, test } from 'vitest'
import { useKillable, walk } from './killable.ts'
import { uploadAndDie } from './killed-upload.ts'

/** More points than a saga has: the walk ends where an upload gets through. */
const MOST_POINTS = 60
const killable = useKillable()

describe.each(['before', 'after'] as const)('kill -9 %s each awaited point of the saga', (when) => {
  test(
    'leaves each upload stored and charged, or absent and refunded',
    async () => {
      const points = await walk((n) => uploadAndDie(killable, n, when), { most: MOST_POINTS })
      // stage, start of the request, claim, charge, understand, two artifacts, record, complete, settle, …
      expect(points).toBeGreaterThanOrEqual(10)
    },
    30 * 60_000,
  )
})
