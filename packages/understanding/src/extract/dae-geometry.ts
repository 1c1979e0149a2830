import { damagedModel } from './model-facts.ts'
import type { Mesh } from './model-scene.ts'
import { NumberWords } from './number-words.ts'
import { childOf, childrenOf, descendantsOf, type XmlElement } from './xml-tree.ts'

export interface ColladaMesh extends Mesh {
  /** By which names its faces ask for materials. */
  symbols: Set<string>
}

const MESHES = new Set(['mesh', 'convex_mesh'])
const ARRAYS = new Set(['float_array', 'int_array'])

/** Corners and triangles of a `<geometry>`; curves have none. @throws UnreadableFile `corrupted` */
export function readGeometry(geometry: XmlElement): ColladaMesh {
  const mesh = geometry.children.find(({ name }) => MESHES.has(name))
  if (!mesh) return { points: [], triangles: 0, symbols: new Set() }
  const points = positionsOf(mesh)
  const symbols = new Set<string>()
  let triangles = 0
  for (const faces of mesh.children) {
    const count = trianglesOf(faces, points.length / 3)
    if (count === null) continue
    triangles += count
    if (faces.attributes['material'] !== undefined) symbols.add(faces.attributes['material'])
  }
  return { points, triangles, symbols }
}

function positionsOf(mesh: XmlElement): Float64Array {
  const input = childrenOf(childOf(mesh, 'vertices'), 'input').find(
    ({ attributes }) => attributes['semantic'] === 'POSITION',
  )
  const source = childrenOf(mesh, 'source').find(
    ({ attributes }) => `#${attributes['id']}` === input?.attributes['source'],
  )
  if (!source) throw damagedModel('its corners are not there')
  const accessor = childOf(childOf(source, 'technique_common'), 'accessor')
  const array = descendantsOf(source, ARRAYS)[0]
  if (!accessor || !array) throw damagedModel('its corners are not there')
  const numbers = numbersOf(array.text)
  const [count, stride, offset] = [
    whole(accessor, 'count'),
    whole(accessor, 'stride', 1),
    whole(accessor, 'offset', 0),
  ]
  if (stride < 3 || offset + stride * count > numbers.length)
    throw damagedModel('it has fewer corners than it states')
  const points = new Float64Array(3 * count)
  for (let index = 0; index < count; index++)
    points.set(numbers.subarray(offset + stride * index, offset + stride * index + 3), 3 * index)
  return points
}

function numbersOf(text: string): Float64Array {
  const words = new NumberWords(text)
  let numbers = new Float64Array(Math.min(1024, Math.ceil(text.length / 2) + 1))
  let length = 0
  for (let value = words.numberOrEnd(); value !== null; value = words.numberOrEnd()) {
    if (length === numbers.length) {
      const longer = new Float64Array(2 * length)
      longer.set(numbers)
      numbers = longer
    }
    numbers[length++] = value
  }
  return numbers.subarray(0, length)
}

/** Of one element of faces; null for what is none. */
function trianglesOf(faces: XmlElement, corners: number): number | null {
  const runs = (): number[] => facesOf(faces, corners)
  switch (faces.name) {
    case 'triangles':
      return runs().reduce((sum, length) => sum + whole3(length), 0)
    case 'polylist':
      return polygonsOf(
        faces,
        runs().reduce((sum, length) => sum + length, 0),
      )
    case 'polygons':
    case 'tristrips':
    case 'trifans':
      return runs().reduce((sum, length) => sum + Math.max(0, length - 2), 0)
    default:
      return null
  }
}

function whole3(corners: number): number {
  if (corners % 3 !== 0) throw damagedModel('its last triangle is not complete')
  return corners / 3
}

function polygonsOf(faces: XmlElement, corners: number): number {
  const lengths = numbersOf(childOf(faces, 'vcount')?.text ?? '')
  let [sum, triangles] = [0, 0]
  for (const length of lengths) {
    if (length < 3) throw damagedModel('a face has fewer than three corners')
    sum += length
    triangles += length - 2
  }
  if (sum !== corners) throw damagedModel('its faces have other corners than they state')
  return triangles
}

/** How many corners each `<p>` names, with all of them checked; a polygon with holes is its outline. */
function facesOf(faces: XmlElement, corners: number): number[] {
  const inputs = childrenOf(faces, 'input')
  const offsets = inputs.map((input) => whole(input, 'offset', 0))
  const stride = Math.max(0, ...offsets) + 1
  const at = offsets[inputs.findIndex(({ attributes }) => attributes['semantic'] === 'VERTEX')]
  if (at === undefined) throw damagedModel('its faces do not say what their corners are')
  const lists = [
    ...childrenOf(faces, 'p'),
    ...childrenOf(faces, 'ph').flatMap((holed) => childrenOf(holed, 'p')),
  ]
  return lists.map(({ text }) => {
    const indices = numbersOf(text)
    if (indices.length % stride !== 0) throw damagedModel('a face is not complete')
    for (let index = at; index < indices.length; index += stride)
      if (!(indices[index]! >= 0 && indices[index]! < corners))
        throw damagedModel('a face names a corner that is not there')
    return indices.length / stride
  })
}

function whole({ attributes }: XmlElement, name: string, otherwise?: number): number {
  const value = attributes[name]
  if (value === undefined && otherwise !== undefined) return otherwise
  if (!/^\s*\d{1,9}\s*$/.test(value ?? '')) throw damagedModel('a number is none')
  return Number(value)
}
