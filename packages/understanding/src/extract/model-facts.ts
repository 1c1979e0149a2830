import { UnreadableFile, type ModelFacts } from '@medialog/application/ports/understanding'
import { line } from '../text/clean.ts'
import type { UniquePositions } from './unique-positions.ts'

const MOST_NAMES = 200

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
  },
): ModelFacts {
  if (positions.count === 0) throw new UnreadableFile('corrupted', 'The model holds no geometry.')
  const { dimensions } = positions
  if (!Object.values(dimensions).every(Number.isFinite))
    throw damagedModel('some coordinates are not numbers')
  return {
    mediaType: 'model',
    vertexCount: positions.count,
    triangleCount: counted.triangles,
    materialCount: counted.materialCount ?? counted.materials.length,
    materials: names(counted.materials),
    parts: names(counted.parts),
    dimensions: { x: short(dimensions.x), y: short(dimensions.y), z: short(dimensions.z) },
  }
}

const names = (found: readonly string[]): string[] =>
  [...new Set(found.flatMap((name) => line(name, 200) ?? []))].slice(0, MOST_NAMES)

/** Seven digits: more than 32-bit floats hold says nothing. */
const short = (size: number): number => Number(size.toPrecision(7))
