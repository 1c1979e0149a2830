import type { RecordedEvent } from '@medialog/kernel'
import { expect, test } from 'vitest'
import { applyEvents } from './apply.ts'
import type { Projection, ProjectionContext } from './projection.ts'

const context = {} as ProjectionContext
/** Those at even positions load. */
const projection: Projection<string> = {
  name: 'catalog',
  batchSize: 2,
  loads: ({ position }) => position % 2 === 0,
  project: ({ position }) => (position === 13 ? Promise.reject(new Error('missing')) : [`${position}`]),
}
const eventsUpTo = (last: number) =>
  Array.from({ length: last }, (_, at) => ({ position: at + 1, hash: `hash-${at + 1}` }) as RecordedEvent)

async function batchesOf(events: readonly RecordedEvent[], position: number) {
  const batches: [changes: string[], position: number, hash: string | null][] = []
  const writer = {
    applyBatch: (changes: readonly { change: string }[], at: number, hash: string | null = null) =>
      void batches.push([changes.map(({ change }) => change), at, hash]),
  }
  const error = await applyEvents(projection, context, writer, events, position).then(
    () => null,
    (reason: Error) => reason.message,
  )
  return { batches, error }
}

test('a batch ends before the event that would be one too many to load, however many others it holds', async () => {
  expect(await batchesOf(eventsUpTo(8), 9)).toEqual({
    batches: [
      [['1', '2', '3', '4', '5'], 5, 'hash-5'],
      [['6', '7', '8'], 9, null],
    ],
    error: null,
  })
})

test('the checkpoint moves without events, too', async () => {
  expect(await batchesOf([], 7)).toEqual({ batches: [[[], 7, null]], error: null })
})

test('what stands before an event that cannot be projected is applied, and nothing after it', async () => {
  const { batches, error } = await batchesOf(eventsUpTo(20), 20)
  expect(batches.at(-1)).toEqual([['10', '11', '12'], 12, 'hash-12'])
  expect(error).toBe('missing')
})
