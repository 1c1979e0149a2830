import { expect, test, vi } from 'vitest'
import { EngineUnavailable, StreamDamaged } from '../ports/index.ts'
import { createBackground, keepDoing } from './background.ts'

test('endless work is done again after each failure, and a success resets the count of failures', async () => {
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

test('work that an unavailable engine holds up is tried again; what meets a damaged stream is left', async () => {
  const onRetry = vi.fn<(error: unknown, attempt: number) => void>()
  const background = createBackground(onRetry)
  const damaged = new StreamDamaged({ stream: 'ledger-a', revision: null, reason: 'it was deleted' })
  expect(await background.untilDone(() => Promise.reject(damaged))).toBeUndefined()
  expect([background.waiting, onRetry.mock.calls]).toEqual([0, []])
  const failures = [new EngineUnavailable('event log', 'it is away'), damaged]
  await background.untilDone(() => Promise.reject(failures.shift()!))
  expect(background.waiting).toBe(1)
  await vi.waitFor(() => expect(background.waiting).toBe(0))
  expect(failures).toEqual([])
})
