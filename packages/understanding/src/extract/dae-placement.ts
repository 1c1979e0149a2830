import { fromRows, product, rotation, scaling, translation, type Matrix } from './matrix.ts'
import { damagedModel } from './model-facts.ts'
import { NumberWords } from './number-words.ts'
import type { XmlElement } from './xml-tree.ts'

/** How many numbers each transformation of a node has. */
const LENGTHS: ReadonlyMap<string, number> = new Map(
  Object.entries({ matrix: 16, translate: 3, rotate: 4, scale: 3, lookat: 9 }),
)

/** A node's transformations, the first of them around the others (COLLADA 1.4.1, 5-17). Skewing is left out. */
export const placementOf = (node: XmlElement): Matrix =>
  product(...node.children.filter(({ name }) => LENGTHS.has(name)).map(matrixOf))

function matrixOf({ name, text }: XmlElement): Matrix {
  const words = new NumberWords(text)
  const numbers = Array.from({ length: LENGTHS.get(name)! }, () => words.number())
  const [a = 0, b = 0, c = 0, d = 0] = numbers
  switch (name) {
    case 'matrix':
      return fromRows(numbers)
    case 'translate':
      return translation(a, b, c)
    case 'rotate':
      return rotation(a, b, c, d)
    case 'scale':
      return scaling(a, b, c)
    default:
      return lookAt(numbers)
  }
}

/** From where, at what, and which way is up. */
function lookAt(numbers: readonly number[]): Matrix {
  const [eye, target, up] = [numbers.slice(0, 3), numbers.slice(3, 6), numbers.slice(6, 9)]
  const z = unit(eye.map((value, axis) => value - target[axis]!))
  const x = unit(cross(up, z))
  const y = cross(z, x)
  return [...x, 0, ...y, 0, ...z, 0, ...eye, 1]
}

function unit(vector: readonly number[]): number[] {
  const length = Math.hypot(...vector)
  if (length === 0) throw damagedModel('a node looks nowhere')
  return vector.map((value) => value / length)
}

const cross = (
  [a = 0, b = 0, c = 0]: readonly number[],
  [d = 0, e = 0, f = 0]: readonly number[],
): number[] => [b * f - c * e, c * d - a * f, a * e - b * d]
