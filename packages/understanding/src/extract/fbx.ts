import { UnreadableFile } from '@medialog/application/ports/understanding'
import { Content } from './content.ts'
import type { Extract } from './extractor.ts'
import { readBinaryFbx } from './fbx-binary.ts'
import { fbxChild, fbxNumbers, fbxText, type FbxNode, type FbxValue } from './fbx-node.ts'
import { fbxPlacement, fbxProperties, fbxShapePlacement } from './fbx-placement.ts'
import { readTextFbx } from './fbx-text.ts'
import { IDENTITY, product, type Matrix } from './matrix.ts'
import { damagedModel, type MaterialColor } from './model-facts.ts'
import { ModelScene, type Mesh } from './model-scene.ts'
import { readText } from './text-file.ts'

const BINARY = 'Kaydara FBX Binary'
const OLDEST = 6000

/**
 * Autodesk FBX 6 and 7, binary or text: meshes as their models place them, with the materials of those models. An own
 * reader: ready ones need a browser, or give empty scenes for damaged files.
 */
export const extract: Extract = async ({ bytes, format }) => {
  const content = new Content()
  const binary = Buffer.from(bytes.subarray(0, BINARY.length)).toString('latin1') === BINARY
  const nodes = binary ? readBinaryFbx(bytes) : readTextFbx(readText(bytes, content).text)
  const header = nodes.find(({ name }) => name === 'FBXHeaderExtension')
  refuseOldVersion(header)
  const scene = new ModelScene()
  new FbxObjects(nodes).show(scene)
  const about = fbxChild(fbxChild(header, 'SceneInfo'), 'MetaData')
  return content.medium(format, scene.facts(), {
    title: fbxText(fbxChild(about, 'Title')?.values[0]),
    author: fbxText(fbxChild(about, 'Author')?.values[0]),
  })
}

/** Up to version 5, models are placed by their animation. */
function refuseOldVersion(header: FbxNode | undefined): void {
  const version = fbxChild(header, 'FBXVersion')?.values[0]
  if (typeof version === 'number' && version < OLDEST)
    throw new UnreadableFile(
      'corrupted',
      `The model is of FBX ${(version / 1000).toFixed(1)}; only FBX 6 and 7 are read.`,
    )
}

interface FbxObject {
  id: string
  name: string
  node: FbxNode
}

/** Objects by what they are called in connections: a number in FBX 7, their name in FBX 6. */
class FbxObjects {
  readonly #objects = new Map<string, FbxObject>()
  readonly #below = new Map<string, FbxObject[]>()
  readonly #isBelow = new Set<string>()
  readonly #shown = new Set<string>()
  readonly #meshes = new Map<FbxNode, Mesh | null>()

  constructor(nodes: readonly FbxNode[]) {
    const top = (name: string): FbxNode[] =>
      nodes.filter((node) => node.name === name).flatMap(({ children }) => children)
    for (const node of top('Objects')) {
      const id = idOf(node.values[0])
      const label = fbxText(typeof node.values[0] === 'string' ? node.values[0] : node.values[1])
      this.#objects.set(id, { id, node, name: label.replace(/^\w+::/, '') })
    }
    for (const { values } of top('Connections'))
      if (values[0] === 'OO') this.#connect(idOf(values[1]), idOf(values[2]))
  }

  show(scene: ModelScene): void {
    for (const { node, id } of this.#objects.values())
      if (node.name === 'Model' && !this.#isBelow.has(id)) this.#showModel(id, scene, IDENTITY, 0)
  }

  #connect(id: string, parent: string): void {
    const object = this.#objects.get(id)
    if (!object) return
    const below = this.#below.get(parent)
    if (below) below.push(object)
    else this.#below.set(parent, [object])
    if (this.#objects.get(parent)?.node.name === 'Model') this.#isBelow.add(id)
  }

  /** Each model has one place: what is connected twice is shown once. */
  #showModel(id: string, scene: ModelScene, around: Matrix, depth: number): void {
    if (this.#shown.has(id)) return
    this.#shown.add(id)
    scene.visit(depth)
    const { node, name } = this.#objects.get(id)!
    const properties = fbxProperties(node)
    const matrix = product(around, fbxPlacement(properties))
    const below = this.#below.get(id) ?? []
    const shapes = [
      node,
      ...below.filter((object) => object.node.name === 'Geometry').map((object) => object.node),
    ]
    const meshes = shapes.flatMap((shape) => this.#mesh(shape) ?? [])
    for (const mesh of meshes) scene.place(mesh, product(matrix, fbxShapePlacement(properties)))
    if (meshes.length > 0) {
      scene.part(name)
      for (const object of below)
        if (object.node.name === 'Material') scene.use(object.id, object.name, colorOf(object.node))
    }
    for (const object of below)
      if (object.node.name === 'Model') this.#showModel(object.id, scene, matrix, depth + 1)
  }

  /** Many models may show one mesh: it is unpacked once. */
  #mesh(node: FbxNode): Mesh | null {
    const known = this.#meshes.get(node)
    if (known !== undefined) return known
    const mesh = meshOf(node)
    this.#meshes.set(node, mesh)
    return mesh
  }
}

const idOf = (value: FbxValue | undefined): string =>
  typeof value === 'bigint' || typeof value === 'number' || typeof value === 'string' ? String(value) : ''

function colorOf(material: FbxNode): MaterialColor | undefined {
  const [red, green, blue] = fbxProperties(material).get('DiffuseColor') ?? []
  return [red, green, blue].every((value) => typeof value === 'number')
    ? ([red, green, blue] as [number, number, number])
    : undefined
}

/** Corners and polygons of a mesh; null for curves, targets of morphing and what else has no polygons. */
function meshOf(node: FbxNode): Mesh | null {
  const points = fbxNumbers(node, 'Vertices')
  const corners = fbxNumbers(node, 'PolygonVertexIndex')
  if (!points || !corners) return null
  if (points.length % 3 !== 0) throw damagedModel('its last corner is not complete')
  return { points, triangles: trianglesOf(corners, points.length / 3) }
}

/** The last corner of each polygon is stored as the complement of its index. */
function trianglesOf(corners: ArrayLike<number>, count: number): number {
  let [triangles, length] = [0, 0]
  for (let at = 0; at < corners.length; at++) {
    const corner = corners[at]!
    if (!((corner < 0 ? ~corner : corner) < count))
      throw damagedModel('a face names a corner that is not there')
    length++
    if (corner >= 0) continue
    triangles += Math.max(0, length - 2)
    length = 0
  }
  if (length > 0) throw damagedModel('its last face is not complete')
  return triangles
}
