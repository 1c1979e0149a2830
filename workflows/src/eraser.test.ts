import type { Erasure } from '@medialog/application'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { startEraser, type EraserPorts } from './eraser.ts'

const DAY_MS = 24 * 3_600_000
const QUICK = { roundMs: 5 }
const IN_NO_BATCH = { batches: { ofItems: async () => [] }, projections: { reached: async () => true } }
const NOW = Date.UTC(2026, 10, 20, 13, 5)
let running: AsyncDisposableStack
beforeEach(() => {
  running = new AsyncDisposableStack()
})
afterEach(() => running.disposeAsync())

test('kept answers are removed after a day, and an unavailable store is retried', async () => {
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
    QUICK,
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
      eventStore: { read: async function* () {}, head: async () => 70 },
      ...IN_NO_BATCH,
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
    QUICK,
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
    QUICK,
  )
  running.defer(() => eraser.close())
  running.defer(() => closing.resolve([]))
  await vi.waitFor(() => expect(isErased).toBe(true), { timeout: 30_000 })
})

/** `count` items that were deleted, oldest first. */
const deletions = (count: number): Erasure[] =>
  Array.from({ length: count }, (_, n) => ({
    accountId: '00000000-0000-4000-8000-000000000000',
    mediaId: `m${n}`,
    ingestId: `i${n}`,
    cause: 'deleted',
    revision: 2,
    position: n + 1,
  }))

/** An eraser of what is on the list, as far as `load` lets it. */
function startErasing(
  list: Erasure[],
  load: (category: string, id: string) => unknown,
  {
    deleted = [],
    unerasable = '',
    past = [],
    roundMs = 60_000,
  }: { deleted?: string[]; unerasable?: string; past?: object[]; roundMs?: number } = {},
) {
  const erased: string[] = []
  const flushed: number[] = []
  const failures: unknown[] = []
  const eraser = startEraser(
    {
      clock: { now: () => NOW },
      catalog: {
        pendingErasures: async (limit: number) =>
          list.filter(({ mediaId }) => !erased.includes(mediaId)).slice(0, limit),
      },
      work: { erasures: async () => [] },
      keptAnswers: { sweep: async () => undefined },
      eventStore: {
        async *read() {
          yield* past
        },
        head: async () => 1,
      },
      ...IN_NO_BATCH,
      streams: {
        load: async (category: string, id: string) => ({ selected: load(category, id), position: 1 }),
        execute: async (category: string, id: string) => {
          if (category === 'media') deleted.push(id)
        },
        truncate: async () => undefined,
      },
      logTree: { holds: async () => undefined },
      artifacts: {
        deleteIngest: async ({ ingestId }: Erasure) => {
          if (ingestId === unerasable) throw new Error('damaged')
        },
      },
      erasures: { markErased: async ({ mediaId }: Erasure) => void erased.push(mediaId) },
      flushErased: async () => void flushed.push(erased.length),
    } as unknown as EraserPorts,
    (error) => failures.push(error),
    { roundMs },
  )
  running.defer(() => eraser.close())
  return { erased, flushed, failures }
}

test('any number of items that have to wait hold up none behind them', async () => {
  const waiting = 250
  const { erased, flushed } = startErasing(deletions(waiting + 3), (_, id) => Number(id.slice(1)) < waiting)
  await vi.waitFor(() => expect(flushed).toEqual([3]))
  expect(erased).toEqual(['m250', 'm251', 'm252'])
})

test('the past of a stream stays until the charge of an ingest in it is settled', async () => {
  const id = '00000000-0000-4000-8000-000000000000'
  const claim = { accountId: id, ingestId: id, jobId: id, batchId: null, sha256: '0'.repeat(64), at: 1 }
  const past = [{ type: 'IngestClaimed', version: 1, stream: 'media-m0', revision: 0, data: claim }]
  let looks = 0
  let isOpen = true
  const { erased } = startErasing(
    deletions(1),
    (category) => {
      if (category !== 'ledger') return false
      looks++
      return isOpen
    },
    { past, ...QUICK },
  )
  await vi.waitFor(() => expect(looks).toBeGreaterThan(2))
  expect(erased).toEqual([])
  isOpen = false
  await vi.waitFor(() => expect(erased).toEqual(['m0']))
})

test('an item that fails holds up no other, in the same round', async () => {
  const damaged = new Error('damaged')
  const { erased, flushed, failures } = startErasing(deletions(120), (_, id) => {
    if (Number(id.slice(1)) < 110) throw damaged
    return false
  })
  await vi.waitFor(() => expect(flushed).toEqual([10]))
  expect(erased).toHaveLength(10)
  expect(failures).toEqual([damaged, damaged])
})

test('an item whose replaced ingest cannot be erased keeps the past of its stream, page after page', async () => {
  const [first, ...others] = deletions(150)
  const replaced = { ...first!, cause: 'replaced', ingestId: 'before', revision: 1 } as const
  const { erased, flushed } = startErasing([replaced, ...others, first!], () => false, {
    unerasable: 'before',
  })
  await vi.waitFor(() => expect(flushed).toEqual([99, 149]))
  expect(erased).not.toContain('m0')
})

test('an item that cannot be named in the erasure of its collection is not deleted, the others are', async () => {
  const place = { collection: 'c', generation: 0 }
  const ended = deletions(3).map((erasure): Erasure => ({ ...erasure, cause: 'ended', place }))
  const deleted: string[] = []
  const damaged = new Error('damaged')
  const { flushed, failures } = startErasing(
    ended,
    (category, id) => {
      if (id === 'm1') throw damaged
      return category === 'erasure' ? true : null
    },
    { deleted },
  )
  await vi.waitFor(() => expect(flushed).toHaveLength(1))
  expect(deleted).toEqual(['m0', 'm2'])
  expect(failures).toEqual([damaged])
})
