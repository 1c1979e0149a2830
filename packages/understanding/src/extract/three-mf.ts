import { UnreadableFile } from '@medialog/application/ports/understanding'
import { openParts, type Parts } from '../archive/parts.ts'
import { Content } from './content.ts'
import type { Extract } from './extractor.ts'
import { IDENTITY, product } from './matrix.ts'
import { damagedModel } from './model-facts.ts'
import { ModelScene } from './model-scene.ts'
import { readText } from './text-file.ts'
import { ThreeMfPart, type Placement } from './three-mf-part.ts'
import { declaredEncoding, readXml } from './xml-reader.ts'

const MODEL = 'http://schemas.microsoft.com/3dmanufacturing/2013/01/3dmodel'
const MOST_PARTS = 1000

/** 3MF: the objects that are to be built, as placed, components in their places; materials that triangles name. */
export const extract: Extract = async ({ bytes, format }) => {
  const content = new Content()
  const archive = await openParts(bytes)
  const package_ = new Package(archive, content)
  const start = await startPart(archive, content)
  const main = await package_.part(start)
  const scene = new ModelScene()
  const items = main.items.length > 0 ? main.items : main.objectIds
  for (const item of items) await place(scene, package_, start, item)
  return content.medium(format, scene.facts(), {
    title: main.metadata.get('Title'),
    author: main.metadata.get('Designer'),
  })
}

/** The package's relations name the model to start with (OPC 6.5). */
async function startPart(archive: Parts, content: Content): Promise<string> {
  const relations = await archive.read('_rels/.rels')
  let target = '/3D/3dmodel.model'
  if (relations)
    readXml(readText(relations, content, declaredEncoding(relations)).text, {
      open(name, { Type: type, Target: path }) {
        if (name === 'Relationship' && type === MODEL && path) target = path
      },
    })
  return target
}

/** Models in one package may show each other's objects (3MF Production Extension). */
class Package {
  readonly #archive: Parts
  readonly #content: Content
  readonly #parts = new Map<string, ThreeMfPart>()

  constructor(archive: Parts, content: Content) {
    this.#archive = archive
    this.#content = content
  }

  async part(path: string): Promise<ThreeMfPart> {
    const name = path.replace(/^\//, '')
    const known = this.#parts.get(name)
    if (known) return known
    const bytes = await this.#archive.read(name)
    if (!bytes) throw new UnreadableFile('corrupted', 'The package holds no 3D model, or lacks a part of it.')
    if (this.#parts.size >= MOST_PARTS)
      throw new UnreadableFile('too-large', 'The package has too many models.')
    const part = new ThreeMfPart()
    readXml(readText(bytes, this.#content, declaredEncoding(bytes)).text, {
      open: (element, attributes) => part.open(element, attributes),
      close: (element) => part.close(element),
      text: (text) => part.text(text),
    })
    this.#parts.set(name, part)
    return part
  }
}

async function place(
  scene: ModelScene,
  models: Package,
  path: string,
  { objectId, path: elsewhere, matrix }: Placement,
  around = IDENTITY,
  depth = 0,
): Promise<void> {
  scene.visit(depth)
  const at = elsewhere ?? path
  const part = await models.part(at)
  const object = part.objects.get(objectId)
  if (!object) throw damagedModel('an object that it shows is not there')
  const placed = product(around, matrix)
  if (object.mesh.points.length > 0) {
    scene.place(object.mesh, placed)
    scene.part(object.name)
    for (const reference of object.properties) {
      const material = part.materials.get(reference)
      if (material) scene.use(`${at} ${reference}`, material.name, material.color)
    }
  }
  for (const component of object.components) await place(scene, models, at, component, placed, depth + 1)
}
