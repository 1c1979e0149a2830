import { expect, test } from 'vitest'
import { logMel, RATE, scale } from './mel.ts'

/** Of Whisper's own extractor, for a second of two tones and 29 of silence: by frame, bands 0, 5, 11, 12, 25, 26, 40 and 79. */
const REFERENCE: readonly (readonly [frame: number, bands: number[]])[] = [
  [0, [0.9833, 1.0482, 1.1116, 1.3383, 0.6918, 0.674, 0.4182, -0.0817]],
  [1, [0.4713, 0.5019, 1.4357, 1.2977, 0.1787, 0.1574, -0.0903, -0.5618]],
  [50, [-0.5618, -0.5618, 1.4382, 1.2935, -0.5142, -0.4061, -0.5618, -0.5618]],
  [99, [0.2795, 0.3202, 1.437, 1.2959, 0.2435, 0.2506, -0.1177, -0.5618]],
  [100, [0.7916, 0.867, 1.2932, 1.2481, 0.7602, 0.7783, 0.3796, -0.4166]],
  [101, [0.2794, 0.3204, 0.3436, 0.341, 0.2305, 0.2305, -0.1276, -0.5618]],
  [2999, Array<number>(8).fill(-0.5618)],
]
const BANDS_SHOWN = [0, 5, 11, 12, 25, 26, 40, 79]
const FRAMES = 3_000

const tones = Int16Array.from({ length: RATE }, (_, i) => {
  const at = i / RATE
  const value = 0.5 * Math.sin(2 * Math.PI * 440 * at) + 0.25 * Math.sin(2 * Math.PI * 1234.5 * at) * at
  return Math.round(value * 32_768)
})

test('is what Whisper was trained on', () => {
  const mel = logMel(tones, FRAMES)
  scale(mel, -Infinity)
  for (const [frame, bands] of REFERENCE)
    for (const [at, expected] of bands.entries())
      expect(mel[BANDS_SHOWN[at]! * FRAMES + frame]).toBeCloseTo(expected, 2)
  expect(mel.reduce((sum, value) => sum + value, 0)).toBeCloseTo(-132_994.4, -1)
})

test('is as quiet as what was loudest before leaves it', () => {
  const mel = logMel(tones.slice(0, 4_800), 40)
  const loudest = Math.max(...mel)
  expect(scale(mel.slice(), -Infinity)).toBe(loudest)
  const beside = mel.slice()
  expect(scale(beside, loudest + 2)).toBe(loudest + 2)
  expect(Math.min(...beside)).toBeCloseTo((loudest + 2 - 8 + 4) / 4, 5)
})
