import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { startEraser, type EraserPorts } from './eraser.ts'

const DAY_MS = 24 * 3_600_000
const NOW = Date.UTC(2026, 10, 20, 13, 5)
let running: AsyncDisposableStack
beforeEach(() => {
  running = new AsyncDisposableStack()
})
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
      work: { erasures: async () => [] },
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

test('the past of a stream is removed once it has no claim and the leaves of its events are kept', async () => {
  const erasure = { accountId: 'a', mediaId: 'm', ingestId: 'i', cause: 'deleted', revision: 4 }
  const done: string[] = []
  const holds = vi
    .fn<EraserPorts['logTree']['holds']>()
    .mockImplementationOnce(async () => {
      done.push('leaves behind')
      throw new Error('the leaves are behind')
    })
    .mockImplementation(async (position) => void done.push(`leaves up to ${position}`))
  const failures: unknown[] = []
  const eraser = startEraser(
    {
      clock: { now: () => NOW },
      catalog: { pendingErasures: async () => (done.includes('marked') ? [] : [erasure]) },
      work: { erasures: async () => [] },
      keptAnswers: { sweep: async () => undefined },
      streams: {
        load: async () => {
          const isClaimed = done.length < 2
          if (isClaimed) done.push('claimed')
          return { selected: isClaimed, position: 70, revision: 4 }
        },
        truncate: async () => void done.push('truncated'),
      },
      logTree: { holds },
      artifacts: { deleteIngest: async () => undefined },
      erasures: { markErased: async () => void done.push('marked') },
      flushErased: async () => undefined,
    } as unknown as EraserPorts,
    (error) => failures.push(error),
  )
  running.defer(() => eraser.close())
  await vi.waitFor(
    () =>
      expect(done).toEqual(['claimed', 'claimed', 'leaves behind', 'leaves up to 70', 'truncated', 'marked']),
    {
      timeout: 30_000,
    },
  )
  expect(failures).toEqual([new Error('the leaves are behind')])
})

test('what was deleted is erased while an account that is being closed takes its time', async () => {
  const erasure = { accountId: 'a', mediaId: 'm', ingestId: 'i', cause: 'replaced', revision: 4 }
  let isErased = false
  let isClosing = false
  const closing = Promise.withResolvers<never[]>()
  const eraser = startEraser(
    {
      clock: { now: () => NOW },
      catalog: { pendingErasures: async () => (isErased || !isClosing ? [] : [erasure]) },
      work: {
        erasures() {
          isClosing = true
          return closing.promise
        },
      },
      keptAnswers: { sweep: async () => undefined },
      artifacts: { deleteIngest: async () => undefined },
      erasures: { markErased: async () => void (isErased = true) },
      flushErased: async () => undefined,
    } as unknown as EraserPorts,
    () => undefined,
  )
  running.defer(() => eraser.close())
  running.defer(() => closing.resolve([]))
  await vi.waitFor(() => expect(isErased).toBe(true), { timeout: 30_000 })
})
