import { expect, test } from 'vitest'
import type { Frame, Picture } from './decoder.ts'
import { SceneChanges } from './scene-changes.ts'

type Rgb = readonly [number, number, number]

const RED: Rgb = [200, 50, 50]
const BLUE: Rgb = [40, 80, 180]
const WHITE: Rgb = [250, 250, 250]
const BLACK: Rgb = [0, 0, 0]

const picture = ([r, g, b]: Rgb): Picture => ({
  rgb: Uint8Array.from({ length: 3 * 16 * 9 }, (_, i) => [r, g, b][i % 3]!),
  width: 16,
  height: 9,
})

const mixed = (a: Rgb, b: Rgb, share: number): Rgb =>
  a.map((value, index) => value + (b[index]! - value) * share) as unknown as Rgb

const frame = (time: number, color: Rgb): Frame => ({ time, pixels: 144, draw: () => picture(color) })

/** Times at which scenes begin, of a video of ten frames a second. */
function scenes(colors: readonly Rgb[], sparse = false, most = 12): number[] {
  const changes = new SceneChanges({ most, side: 16, sparse })
  for (const [index, color] of colors.entries()) changes.add(frame(index / 10, color))
  return changes.scenes().map(({ time }) => time)
}

const lasting = (frames: number, color: Rgb): Rgb[] => Array.from({ length: frames }, () => color)

test('a cut begins a scene with the first frame behind it', () => {
  expect(scenes([...lasting(20, RED), ...lasting(20, BLUE), ...lasting(10, RED)])).toEqual([0, 2, 4])
})

test('what hardly changes is one scene', () => {
  expect(scenes(lasting(50, RED).map((red, index) => mixed(red, WHITE, index / 800)))).toEqual([0])
})

test('a cross-fade begins a scene where it has ended', () => {
  const fade = Array.from({ length: 6 }, (_, index) => mixed(RED, BLUE, (index + 1) / 7))
  expect(scenes([...lasting(20, RED), ...fade, ...lasting(20, BLUE)])).toEqual([0, 2.7])
})

test('a flash is none', () => {
  expect(scenes([...lasting(2, RED), ...lasting(2, WHITE), ...lasting(20, RED)])).toEqual([0])
})

test('black frames are passed over, unless there is nothing else', () => {
  expect(scenes([...lasting(10, BLACK), ...lasting(20, BLUE), ...lasting(10, BLACK)])).toEqual([1])
  expect(scenes(lasting(10, BLACK))).toEqual([0])
})

test('of frames that come seconds apart each may be another scene', () => {
  const changes = new SceneChanges({ most: 12, side: 16, sparse: true })
  for (const [index, color] of [RED, mixed(RED, BLUE, 0.95), BLUE].entries()) changes.add(frame(index, color))
  expect(changes.scenes().map(({ time }) => time)).toEqual([0, 1])
})

test('of too many those stay that are unlike the others', () => {
  const colors = [...lasting(10, RED), ...lasting(10, BLUE), ...lasting(10, RED), ...lasting(10, WHITE)]
  expect(scenes(colors, false, 3)).toEqual([0, 1, 3])
})
