import { UnreadableFile } from '@medialog/application/ports/understanding'
import {
  Logger,
  Primitive,
  WebIO,
  type Document,
  type JSONDocument,
  type Material,
  type Node,
  type mat4,
} from '@gltf-transform/core'
import { Content } from './content.ts'
import type { Extract } from './extractor.ts'
import { CornerBudget } from './corner-budget.ts'
import { damagedModel, modelFacts, type MaterialColor } from './model-facts.ts'
import { UniquePositions } from './unique-positions.ts'

/** Behind the header of the file and that of its first chunk. */
const JSON_AT = 20

/** Binary glTF 2.0, its scenes as placed by their nodes. Nothing outside the file is read. */
export const extract: Extract = async ({ bytes, format }) => {
  refuseUnreadable(bytes)
  const content = new Content()
  const root = (await open(bytes)).getRoot()
  const positions = new UniquePositions()
  const budget = new CornerBudget()
  let triangles = 0
  const used = new Set<Material | null>()
  const nodes = root.listNodes().filter((node) => node.getMesh())
  for (const node of nodes)
    for (const primitive of node.getMesh()!.listPrimitives()) {
      addPositions(primitive, node.getWorldMatrix(), positions, budget)
      triangles += trianglesOf(primitive)
      used.add(primitive.getMaterial())
    }
  const materials = root.listMaterials().filter((material) => used.has(material))
  const facts = modelFacts(positions, {
    triangles,
    materials: materials.map((material) => material.getName()),
    materialCount: materials.length,
    parts: nodes.map((node) => partName(node)),
    colors: materials.filter((material) => !material.getBaseColorTexture()).map(colorOf),
  })
  return content.medium(format, facts, {
    title: root.listScenes()[0]?.getName() || null,
    author: root.getAsset().copyright,
  })
}

function refuseUnreadable(bytes: Uint8Array): void {
  const header = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const version = bytes.length < 8 ? 2 : header.getUint32(4, true)
  if (version !== 2)
    throw new UnreadableFile('corrupted', `The model is of glTF ${version}.0; only glTF 2.0 is read.`)
  if (bytes.length < 20 || header.getUint32(8, true) > bytes.length)
    throw new UnreadableFile('corrupted', 'The model ends before the length its header states.')
}

/**
 * Extensions that leave corners and triangles as they are: looks, lights, metadata and quantized positions, which are
 * plain accessors (registry at github.com/KhronosGroup/glTF/tree/main/extensions).
 */
const LOOK =
  /^[A-Z0-9]+_(?:texture|materials|lights|image|environment|animation|audio|techniques|xmp|node_hoverability|node_selectability|mesh_quantization)(?:_\w+)?$/

async function open(bytes: Uint8Array): Promise<Document> {
  try {
    const io = new WebIO().setLogger(new Logger(Logger.Verbosity.SILENT))
    const source = await io.binaryToJSON(aligned(bytes))
    const { extensionsRequired: required } = source.json
    if (required) source.json.extensionsRequired = required.filter((name) => !LOOK.test(name))
    const document = await io.readJSON(source)
    refuseMissingData(document, source)
    return document
  } catch (error) {
    if (error instanceof UnreadableFile) throw error
    const extension = /extension[^"']*["']?(\w+_\w+)/i.exec(String(error))?.[1]
    throw new UnreadableFile(
      'corrupted',
      extension
        ? `The model needs the glTF extension ${extension}, which is not read.`
        : 'The model is damaged and could not be opened.',
    )
  }
}

/**
 * The file with its JSON padded to whole words, as glTF 2.0 asks (4.4.3) and the library needs. Early releases of trimesh
 * write it as long as it is.
 */
function aligned(bytes: Uint8Array): Uint8Array {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const length = file.readUInt32LE(12)
  const padding = -length & 3
  if (padding === 0 || JSON_AT + length > file.length) return bytes
  const json = file.subarray(0, JSON_AT + length)
  const padded = Buffer.concat([json, Buffer.alloc(padding, ' '), file.subarray(JSON_AT + length)])
  padded.writeUInt32LE(padded.length, 8)
  padded.writeUInt32LE(length + padding, 12)
  return padded
}

/** Where the buffer is shorter than an accessor states, the library reads what there is and says nothing. */
function refuseMissingData(document: Document, { json }: JSONDocument): void {
  const stated = json.accessors ?? []
  const accessors = document.getRoot().listAccessors()
  if (accessors.some((accessor, index) => accessor.getCount() !== stated[index]?.count))
    throw damagedModel('data that its parts refer to is missing')
}

const partName = (node: Node): string => node.getName() || node.getMesh()!.getName()

function addPositions(
  primitive: Primitive,
  matrix: mat4,
  positions: UniquePositions,
  budget: CornerBudget,
): void {
  const accessor = primitive.getAttribute('POSITION')
  if (!accessor) return
  budget.spend(accessor.getCount())
  const point: number[] = [0, 0, 0]
  for (let index = 0; index < accessor.getCount(); index++) {
    const [x = NaN, y = NaN, z = NaN] = accessor.getElement(index, point)
    positions.addPlaced(matrix, x, y, z)
  }
}

/** A material's colour, stored linear (glTF 2.0, 3.9.2), as sRGB (IEC 61966-2-1). */
function colorOf(material: Material): MaterialColor {
  const [red, green, blue] = material
    .getBaseColorFactor()
    .map((linear) => (linear <= 0.0031308 ? 12.92 * linear : 1.055 * linear ** (1 / 2.4) - 0.055))
  return [red ?? NaN, green ?? NaN, blue ?? NaN]
}

function trianglesOf(primitive: Primitive): number {
  const corners = primitive.getIndices()?.getCount() ?? primitive.getAttribute('POSITION')?.getCount() ?? 0
  switch (primitive.getMode()) {
    case Primitive.Mode.TRIANGLES:
      return Math.floor(corners / 3)
    case Primitive.Mode.TRIANGLE_STRIP:
    case Primitive.Mode.TRIANGLE_FAN:
      return Math.max(0, corners - 2)
    default:
      return 0
  }
}
