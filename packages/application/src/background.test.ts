import { expect, test } from 'vitest'
import { keepDoing } from './background.ts'

test('what has no end is done again after each failure, the count of failures begun anew once it got on', async () => {
  const stopping = new AbortController()
  const pauses: number[] = []
  const troubles: unknown[] = []
  let runs = 0
  await keepDoing(
    {
      background: { pause: async (_, attempt) => void pauses.push(attempt) },
      signal: stopping.signal,
      onTrouble: (failure) => troubles.push(failure === null ? null : (failure as Error).message),
    },
    async (onProgress) => {
      runs++
      if (runs === 3) onProgress()
      if (runs === 5) stopping.abort()
      throw new Error(`run ${runs}`)
    },
  )
  expect(pauses).toEqual([0, 1, 0, 1])
  // What fails because it is to end is no trouble.
  expect(troubles).toEqual(['run 1', 'run 2', null, 'run 3', 'run 4'])
})
