import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { progressReporter } from './progress.ts'

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['performance'] })
})
afterEach(() => {
  vi.useRealTimers()
})

/** What is reported of a job that is that far after so many milliseconds each. */
async function reportsOf(course: readonly (readonly [afterMs: number, share: number])[]): Promise<number[]> {
  const reports: number[] = []
  await using progress = progressReporter(async (percent) => void reports.push(percent))
  for (const [afterMs, share] of course) {
    vi.advanceTimersByTime(afterMs)
    progress.onProgress(share)
    await new Promise(setImmediate)
  }
  return reports
}

test('a short job is not reported', async () => {
  expect(await reportsOf([0.1, 0.4, 0.7, 0.99].map((share) => [1_200, share]))).toEqual([])
})

test('a long one is, in tens of percent, at most every five seconds', async () => {
  expect(
    await reportsOf([
      [4_999, 0.31],
      [1, 0.42],
      [4_000, 0.55],
      [1_000, 0.49],
      [1_000, 0.61],
      [60_000, 0.6],
      [60_000, 1],
    ]),
  ).toEqual([40, 60])
})

test('one of hours is reported nine times', async () => {
  const course = Array.from({ length: 1_000 }, (_, n) => [10_000, (n + 1) / 1_000] as const)
  expect(await reportsOf(course)).toEqual([10, 20, 30, 40, 50, 60, 70, 80, 90])
})

test('a report that cannot be made stops nothing, and is waited for', async () => {
  const { promise, reject } = Promise.withResolvers<void>()
  const failures: unknown[] = []
  const progress = progressReporter(
    () => promise,
    (error) => failures.push(error),
  )
  vi.advanceTimersByTime(5_000)
  progress.onProgress(0.5)
  const disposed = progress[Symbol.asyncDispose]()
  const error = new Error('the log is damaged')
  reject(error)
  await disposed
  expect(failures).toEqual([error])
})
