import { afterEach, expect, test, vi } from 'vitest'
import { startEraser, type EraserPorts } from './eraser.ts'

const DAY_MS = 24 * 3_600_000
const NOW = Date.UTC(2026, 10, 20, 13, 5)
const running = new AsyncDisposableStack()
afterEach(() => running.disposeAsync())

test('kept answers go after a day, and a store that is away is tried again', async () => {
  let now = NOW
  const sweep = vi
    .fn<EraserPorts['keptAnswers']['sweep']>()
    .mockRejectedValueOnce(new Error('away'))
    .mockResolvedValue()
  const failures: unknown[] = []
  const eraser = startEraser(
    {
      clock: { now: () => now },
      catalog: { pendingErasures: async () => [] },
      keptAnswers: { sweep },
    } as unknown as EraserPorts,
    (error) => failures.push(error),
  )
  running.defer(() => eraser.close())
  await vi.waitFor(() => expect(sweep).toHaveBeenLastCalledWith(NOW - DAY_MS), { timeout: 30_000 })
  now += 600_000
  await vi.waitFor(() => expect(sweep).toHaveBeenLastCalledWith(now - DAY_MS), { timeout: 30_000 })
  expect(failures).toEqual([new Error('away')])
})
