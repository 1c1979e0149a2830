import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test, vi } from 'vitest'
import { latest } from './latest.ts'

const OPTIONS = { waitMs: 20, keptMs: 60_000 }

/** A question whose answers the test gives. */
function question() {
  const asked: PromiseWithResolvers<number>[] = []
  const ask = () => {
    const next = Promise.withResolvers<number>()
    asked.push(next)
    return next.promise
  }
  return { asked, ask }
}

test('asks once for all callers at a time, and again for later ones', async () => {
  const { asked, ask } = question()
  const find = latest(ask, { ...OPTIONS, waitMs: 10_000 })
  const callers = [find(), find()]
  asked[0]!.resolve(1)
  expect(await Promise.all(callers)).toEqual([1, 1])
  const later = find()
  asked[1]!.resolve(2)
  expect(await later).toBe(2)
  expect(asked).toHaveLength(2)
})

test('waits twice as long for the first answer of all', async () => {
  vi.useFakeTimers()
  try {
    const { asked, ask } = question()
    const find = latest(ask, { waitMs: 200, keptMs: 60_000 })
    const first = find()
    await vi.advanceTimersByTimeAsync(390)
    asked[0]!.resolve(1)
    expect(await first).toBe(1)
    const second = find()
    await vi.advanceTimersByTimeAsync(200)
    expect(await second).toBe(1)
  } finally {
    vi.useRealTimers()
  }
})

test('gives the last answer to a caller that has waited long enough', async () => {
  const { asked, ask } = question()
  const find = latest(ask, OPTIONS)
  await expect(find()).rejects.toThrow('no answer within 0.02 s')
  asked[0]!.resolve(1)
  await sleep(0)
  const slow = find()
  expect(await slow).toBe(1)
  // The question goes on, and its answer is the next one's.
  asked[1]!.resolve(2)
  await sleep(0)
  expect(await find()).toBe(2)
  expect(asked).toHaveLength(3)
})

test('forgets an answer after its time', async () => {
  const { asked, ask } = question()
  const find = latest(ask, { waitMs: 20, keptMs: 0 })
  const first = find()
  asked[0]!.resolve(1)
  expect(await first).toBe(1)
  await expect(find()).rejects.toThrow('no answer within')
})

test('rejects with the error of the question, then or later', async () => {
  const { asked, ask } = question()
  const find = latest(ask, OPTIONS)
  const failed = find()
  asked[0]!.reject(new Error('cut off'))
  await expect(failed).rejects.toThrow('cut off')
  await expect(find()).rejects.toThrow('no answer within')
  asked[1]!.reject(new Error('cut off later'))
  await sleep(0)
})
