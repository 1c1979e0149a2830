import { describe, expect, test } from 'vitest'
import { kWeighting } from './k-weighting.ts'
import { LoudnessMeter } from './loudness.ts'

const RATE = 48_000

/** Seconds of a sine at a level in dB below full scale, at most ten milliseconds at a time. */
function* sine(seconds: number, level: number, hertz = 1000, rate = RATE): Generator<Float32Array> {
  const size = 10 ** (level / 20)
  for (let from = 0; from < seconds * rate; from += rate / 100)
    yield Float32Array.from(
      { length: rate / 100 },
      (_, i) => size * Math.sin((2 * Math.PI * hertz * (from + i)) / rate),
    )
}

function measured(parts: [seconds: number, level: number][], weights = [1, 1], rate = RATE) {
  const meter = new LoudnessMeter(rate, weights)
  for (const [seconds, level] of parts)
    for (const samples of sine(seconds, level, 1000, rate)) meter.add(weights.map(() => samples))
  return meter.result()
}

test('the filters at 48 kHz are those of ITU-R BS.1770-5, annex 1, tables 1 and 2', () => {
  const [shelf, highPass] = kWeighting(48_000)
  const expected = [
    [1.53512485958697, -2.69169618940638, 1.19839281085285, -1.69065929318241, 0.73248077421585],
    [1, -2, 1, -1.99004745483398, 0.99007225036621],
  ]
  for (const [index, { b0, b1, b2, a1, a2 }] of [shelf, highPass].entries())
    for (const [place, value] of [b0, b1, b2, a1, a2].entries())
      expect(value).toBeCloseTo(expected[index]![place]!, 8)
})

describe('the signals of EBU Tech 3341, table 1', () => {
  test.each([
    ['1: a tone at −23 dBFS', [[20, -23]], -23],
    ['2: a tone at −33 dBFS', [[20, -33]], -33],
    [
      '3: what is 10 LU below does not count',
      [
        [10, -36],
        [60, -23],
        [10, -36],
      ],
      -23,
    ],
    [
      '4: what is below −70 LUFS neither',
      [
        [10, -72],
        [10, -36],
        [60, -23],
        [10, -36],
        [10, -72],
      ],
      -23,
    ],
    [
      '5: the mean of what counts',
      [
        [20, -26],
        [20.1, -20],
        [20, -26],
      ],
      -23,
    ],
  ] as [string, [number, number][], number][])('%s', (_, parts, loudness) => {
    expect(Math.abs(measured(parts)!.integrated! - loudness)).toBeLessThanOrEqual(0.1)
  })

  test('6: surround channels count more', () => {
    const levels = [-28, -28, -24, -30, -30]
    const meter = new LoudnessMeter(RATE, [1, 1, 1, 1.41, 1.41])
    const channels = levels.map((level) => sine(20, level))
    for (;;) {
      const samples = channels.map((channel) => channel.next().value as Float32Array | undefined)
      if (!samples[0]) break
      meter.add(samples as Float32Array[])
    }
    expect(Math.abs(meter.result()!.integrated! + 23)).toBeLessThanOrEqual(0.1)
  })
})

test('other rates measure the same', () => {
  for (const rate of [8_000, 44_100, 96_000])
    expect(Math.abs(measured([[5, -23]], [1, 1], rate)!.integrated! + 23)).toBeLessThanOrEqual(0.1)
})

test('a channel for low frequencies does not count', () => {
  expect(measured([[5, -23]], [1, 1, 0])!.integrated).toBe(measured([[5, -23]])!.integrated)
})

test('peak and silence', () => {
  expect(
    measured([
      [3, -6],
      [1, -80],
    ]),
  ).toMatchObject({ peak: expect.closeTo(-6, 1), silence: 0.25 })
})

test('silence has no loudness and no peak', () => {
  expect(measured([[2, -Infinity]])).toEqual({ integrated: null, peak: null, silence: 1 })
})

test('what is shorter than a tenth of a second is not measured', () => {
  expect(measured([[0.05, -20]])).toBeNull()
})
