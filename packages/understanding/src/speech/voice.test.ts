import { expect, test } from 'vitest'
import { RATE } from './mel.ts'
import { voiceIn } from './voice.ts'

let state = 1
/** Evenly from −1 to 1, the same each time. */
function noise(): number {
  state = (state * 1_103_515_245 + 12_345) % 2 ** 31
  return state / 2 ** 30 - 1
}
/** Of so many seconds, a sample by its time. */
const sound = (seconds: number, at: (second: number) => number): Int16Array =>
  Int16Array.from({ length: seconds * RATE }, (_, i) => Math.round(32_767 * at(i / RATE)))
/** Loud and less loud by turns, as syllables are. */
const speechLike = (second: number): number => 0.3 * noise() * Math.abs(Math.sin(2 * Math.PI * 3 * second))

test.each([
  ['silence', () => 0],
  ['what is too quiet to be heard', () => 1e-4 * noise()],
  ['even noise', () => 0.2 * noise()],
  ['a tone', (second: number) => 0.3 * Math.sin(2 * Math.PI * 440 * second)],
] as const)('%s is not listened to', (_, at) => {
  expect(voiceIn(sound(40, at))).toEqual([])
})

test('what changes is, from a little before to a little behind', () => {
  const speaks = (second: number): boolean => (second > 5 && second < 8) || second > 20
  const stretches = voiceIn(
    sound(24, (second) => 0.001 * noise() + (speaks(second) ? speechLike(second) : 0)),
  )
  const seconds = stretches.map((stretch) => stretch.map((sample) => sample / RATE))
  expect(seconds).toHaveLength(2)
  const [[start, end], [later]] = seconds as [[number, number], [number, number]]
  expect(start).toBeGreaterThan(4.7)
  expect(start).toBeLessThanOrEqual(5)
  expect(end).toBeGreaterThanOrEqual(8)
  expect(end).toBeLessThan(8.3)
  expect(later).toBeLessThanOrEqual(20)
})

test('a click is not listened to', () => {
  expect(
    voiceIn(sound(10, (second) => 0.001 * noise() + (Math.abs(second - 5) < 0.02 ? 0.5 * noise() : 0))),
  ).toEqual([])
})

test('sound shorter than what is measured is not listened to', () => {
  expect(voiceIn(sound(0.01, () => 0.5 * noise()))).toEqual([])
})
