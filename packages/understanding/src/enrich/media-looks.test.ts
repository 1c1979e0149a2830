import type { KeyFrame } from '@medialog/application/ports'
import { describe, expect, test } from 'vitest'
import { loudnessInWords, scenesInWords } from './media-looks.ts'

const color = (name: string, share: number) => ({ hex: '#000000', name, share })
const frame = (time: number, look: Partial<KeyFrame>): KeyFrame => ({
  time,
  kind: 'photo',
  brightness: 0.5,
  dominantColors: [color('green', 0.6), color('brown', 0.3), color('red', 0.02)],
  ...look,
})

describe('scenes', () => {
  test('each by its light, manner and notable colours', () => {
    const plain = frame(0, { kind: 'plain', dominantColors: [color('red', 1)] })
    const drawn = frame(61.9, { kind: 'drawing', brightness: 0.9 })
    expect(scenesInWords([plain, frame(2.4, {}), drawn])).toBe(
      '3 scenes: plain red at 0:00; mostly green and brown, at 0:02; bright and drawn, mostly green and brown, at 1:01.',
    )
    expect(scenesInWords([frame(0, { brightness: 0.1 })])).toBe(
      'One scene: dark, mostly green and brown, at 0:00.',
    )
  })

  test('what looks the same again is described once', () => {
    expect(scenesInWords([frame(0, {}), frame(5, { brightness: 0.9 }), frame(12, {})])).toBe(
      '3 scenes: mostly green and brown, at 0:00 and 0:12; bright, mostly green and brown, at 0:05.',
    )
  })

  test('none, no words', () => {
    expect(scenesInWords([])).toBe('')
  })
})

describe('loudness', () => {
  test.each([
    [{ integrated: -21.8, peak: -3.5, silence: 0 }, 'Loudness −21.8 LUFS, peaks of −3.5 dBFS.'],
    [{ integrated: -8, peak: 0, silence: 0.04 }, 'Loudness −8 LUFS (loud), peaks of 0 dBFS.'],
    [
      { integrated: -34, peak: -20, silence: 0.5 },
      'Loudness −34 LUFS (quiet), peaks of −20 dBFS, 50 % silence.',
    ],
    [{ integrated: null, peak: null, silence: 1 }, 'Silent.'],
  ])('%o', (loudness, words) => {
    expect(loudnessInWords(loudness)).toBe(words)
  })
})
