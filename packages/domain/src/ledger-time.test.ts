import fc from 'fast-check'
import { expect, test } from 'vitest'
import { BEFORE_POSTINGS, nextTime } from './ledger-time.ts'

const DAY = 24 * 3_600_000

/** When postings count, in days, once all of them are there. */
function counted(days: readonly number[]): number[] {
  let time = BEFORE_POSTINGS
  const at: number[] = []
  for (const day of days) {
    const leapt = time.leap?.postings ?? 0
    const next = nextTime(time, day * DAY)
    if (next.corrected !== null) at.fill(next.corrected / DAY, at.length - leapt)
    time = next.time
    at.push(time.at / DAY)
  }
  return at
}

const repeated = (times: number, day: number): number[] => Array.from({ length: times }, () => day)

test.each([
  ['one clock', [100, 100.5, 101, 140], [100, 100.5, 101, 140]],
  ['a clock a little behind', [100, 99.9, 100.2], [100, 100, 100.2]],
  ['a clock half a day behind', [100, 99.5, 100.2], [100, 100, 100.2]],
  ['a posting a year ahead', [100, 465, 101, 102, 465], [100, 101, 101, 102, 465]],
  ['an hour of postings a year ahead', [100, 465, 465.02, 465.04, 101], [100, 101, 101, 101, 101]],
  ['a year ahead, and back a little early', [100, 465, 99.9], [100, 100, 100]],
  ['the first posting a year ahead', [465, 100, 101], [100, 100, 101]],
  ['a month without postings', [100, 130, 130.5, 131.2, 101], [100, 130, 130.5, 131.2, 131.2]],
  ['a leap that is not corrected yet', [100, 465], [100, 465]],
  ['a day on is no leap', [100, 101, 99.5], [100, 101, 101]],
  ['a day back is a difference between processes', [100, 465, 464], [100, 465, 465]],
  ['a leap is corrected until a day of its own has passed', [100, 465, 466, 101], [100, 101, 101, 101]],
  ['255 postings of a leap are corrected', [100, ...repeated(255, 465), 101], [100, ...repeated(256, 101)]],
  ['256 postings make a leap real', [100, ...repeated(256, 465), 101], [100, ...repeated(257, 465)]],
])('%s', (_, days, expected) => {
  expect(counted(days)).toEqual(expected)
})

test('no posting counts before the one in front of it, and none is hidden behind one time too far', () => {
  const steps = fc.array(fc.double({ min: 0, max: 3, noNaN: true }), { minLength: 1, maxLength: 40 })
  fc.assert(
    fc.property(steps, fc.nat(39), fc.double({ min: 5, max: 1_000, noNaN: true }), (gaps, index, ahead) => {
      const days = gaps.reduce<number[]>((all, gap) => [...all, (all.at(-1) ?? 100) + gap], [])
      const wrong = days.map((day, place) => (place === index ? day + ahead : day))
      const at = counted(wrong)
      expect(at).toEqual(at.toSorted((a, b) => a - b))
      // Once the clock is right again, so is the time of every posting behind it.
      expect(at.slice(index + 1)).toEqual(days.slice(index + 1).map((day) => expect.closeTo(day, 6)))
    }),
  )
})
