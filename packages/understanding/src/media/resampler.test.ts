import { describe, expect, it } from 'vitest'
import { Resampler } from './resampler.ts'

const TO = 16_000
const wave = (rate: number, hertz: number, seconds = 1): Float32Array =>
  Float32Array.from({ length: rate * seconds }, (_, i) => 0.5 * Math.sin((2 * Math.PI * hertz * i) / rate))

/** In runs of uneven length, as decoders give them. */
function resampled(rate: number, ...channels: Float32Array[]): Int16Array {
  const resampler = new Resampler(rate, TO)
  const length = channels[0]!.length
  for (let at = 0, run = 1; at < length; at += run, run = (run * 7) % 2_311)
    resampler.add(channels.map((samples) => samples.subarray(at, Math.min(length, at + run))))
  return resampler.result()
}

/** Decibels by which what is expected is louder than what differs from it; the ends are left out. */
function clearness(sound: Int16Array, hertz: number): number {
  const expected = wave(TO, hertz)
  let [signal, difference] = [0, 0]
  for (let i = 200; i < sound.length - 200; i++) {
    signal += expected[i]! ** 2
    difference += (sound[i]! / 32_767 - expected[i]!) ** 2
  }
  return 10 * Math.log10(signal / difference)
}

describe.each([8_000, 11_025, 16_000, 22_050, 44_100, 48_000, 96_000, 44_056])('from %i Hz', (rate) => {
  it('keeps what both rates carry, and its length', () => {
    const sound = resampled(rate, wave(rate, 1_000))
    expect(sound).toHaveLength(TO)
    expect(clearness(sound, 1_000)).toBeGreaterThan(70)
  })
})

it.each([22_050, 44_100, 48_000, 96_000])(
  'carries nothing over from %i Hz that the lower rate cannot',
  (rate) => {
    const sound = resampled(rate, wave(rate, 9_500))
    expect(Math.max(...sound.slice(200, -200).map(Math.abs)) / 32_767).toBeLessThan(0.002)
  },
)

it('hears the mean of all channels', () => {
  const left = wave(44_100, 500)
  expect(clearness(resampled(44_100, left, left), 500)).toBeGreaterThan(70)
  expect(
    Math.max(
      ...resampled(
        44_100,
        left,
        left.map((x) => -x),
      ).map(Math.abs),
    ),
  ).toBeLessThanOrEqual(1)
})

it('is empty without sound', () => {
  expect(new Resampler(44_100, TO).result()).toHaveLength(0)
})
