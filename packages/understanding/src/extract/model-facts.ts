import { UnreadableFile, type ModelFacts } from '@medialog/application/ports/understanding'
import { line } from '../text/clean.ts'
import { namedColor } from './image-colors.ts'
import type { UniquePositions } from './unique-positions.ts'

const MOST_NAMES = 200
const MOST_COLORS = 24

/** Red, green and blue from 0 to 1, as shown (sRGB). */
export type MaterialColor = readonly [number, number, number]

export const damagedModel = (what: string): UnreadableFile =>
  new UnreadableFile('corrupted', `The model is damaged: ${what}.`)

/**
 * Facts of a model, checked: parsers give empty or NaN boxes for broken files without a word.
 * @throws UnreadableFile `corrupted` without a corner, or with coordinates that are no numbers
 */
export function modelFacts(
  positions: UniquePositions,
  counted: {
    triangles: number
    materials: readonly string[]
    materialCount?: number
    parts: readonly string[]
    colors?: readonly MaterialColor[]
  },
): ModelFacts {
  if (positions.count === 0) throw new UnreadableFile('corrupted', 'The model holds no geometry.')
  const { dimensions } = positions
  if (!Object.values(dimensions).every(Number.isFinite))
    throw damagedModel('some coordinates are not numbers')
  const colors = named(counted.colors ?? [])
  return {
    mediaType: 'model',
    vertexCount: positions.count,
    triangleCount: counted.triangles,
    materialCount: counted.materialCount ?? counted.materials.length,
    materials: names(counted.materials),
    parts: names(counted.parts),
    ...(colors.length > 0 && { colors }),
    dimensions: { x: short(dimensions.x), y: short(dimensions.y), z: short(dimensions.z) },
  }
}

/** Each once, in their order. */
function named(colors: readonly MaterialColor[]): NonNullable<ModelFacts['colors']> {
  const byHex = new Map(
    colors
      .filter((color) => color.every(Number.isFinite))
      .map((color) => namedColor(...(color.map(byte) as [number, number, number])))
      .map((color) => [color.hex, color] as const),
  )
  return [...byHex.values()].slice(0, MOST_COLORS)
}

const byte = (value: number): number => Math.round(255 * Math.min(1, Math.max(0, value)))

const names = (found: readonly string[]): string[] =>
  [...new Set(found.flatMap((name) => line(name, 200) ?? []))].slice(0, MOST_NAMES)

/** Seven digits: more than 32-bit floats hold says nothing. */
const short = (size: number): number => Number(size.toPrecision(7))
