import { fbxChild, fbxText, type FbxNode, type FbxValue } from './fbx-node.ts'
import { product, rotation, scaling, translation, type Matrix } from './matrix.ts'
import { damagedModel } from './model-facts.ts'

type Triple = [number, number, number]

const AXES: ReadonlyMap<string, Triple> = new Map(
  Object.entries<Triple>({ x: [1, 0, 0], y: [0, 1, 0], z: [0, 0, 1] }),
)
/** Which axis turns first, by `RotationOrder`. */
const ORDERS = ['xyz', 'xzy', 'yzx', 'yxz', 'zxy', 'zyx']

/** Named properties of an object, each with its values behind its name and what describes it. */
export function fbxProperties(node: FbxNode): Map<string, FbxValue[]> {
  const rows = fbxChild(node, 'Properties70')?.children ?? fbxChild(node, 'Properties60')?.children ?? []
  return new Map(
    rows.map(({ name, values }) => [fbxText(values[0]), values.slice(name === 'P' ? 4 : 3)] as const),
  )
}

/**
 * How a model stands in its parent: moved, turned and scaled around its pivots (Autodesk FBX SDK, "Computing
 * transformation matrices").
 */
export function fbxPlacement(properties: Map<string, FbxValue[]>): Matrix {
  const move = (name: string): Matrix => translation(...triple(properties, name, 0))
  const back = (name: string): Matrix => translation(...negative(triple(properties, name, 0)))
  const post = triple(properties, 'PostRotation', 0)
  return product(
    move('Lcl Translation'),
    move('RotationOffset'),
    move('RotationPivot'),
    turn(triple(properties, 'PreRotation', 0), 'xyz'),
    turn(triple(properties, 'Lcl Rotation', 0), ORDERS[number(properties, 'RotationOrder')] ?? 'xyz'),
    // The other way round undoes it.
    turn(negative(post), 'zyx'),
    back('RotationPivot'),
    move('ScalingOffset'),
    move('ScalingPivot'),
    scaling(...triple(properties, 'Lcl Scaling', 1)),
    back('ScalingPivot'),
  )
}

/** What moves a model's shape alone, not its children. */
export const fbxShapePlacement = (properties: Map<string, FbxValue[]>): Matrix =>
  product(
    translation(...triple(properties, 'GeometricTranslation', 0)),
    turn(triple(properties, 'GeometricRotation', 0), 'xyz'),
    scaling(...triple(properties, 'GeometricScaling', 1)),
  )

function turn(angles: Triple, order: string): Matrix {
  const turns = order.split('').map((axis) => rotation(...AXES.get(axis)!, angles['xyz'.indexOf(axis)]!))
  return product(...turns.toReversed())
}

function triple(properties: Map<string, FbxValue[]>, name: string, otherwise: number): Triple {
  const values = properties.get(name)
  if (!values) return [otherwise, otherwise, otherwise]
  const [x, y, z] = values.map(Number)
  if (![x, y, z].every(Number.isFinite)) throw damagedModel('a part is placed by something that is no number')
  return [x!, y!, z!]
}

const negative = ([x, y, z]: Triple): Triple => [-x, -y, -z]

const number = (properties: Map<string, FbxValue[]>, name: string): number =>
  Number(properties.get(name)?.[0] ?? 0)
