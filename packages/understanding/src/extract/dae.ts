import { UnreadableFile } from '@medialog/application/ports/understanding'
import { Content } from './content.ts'
import { readGeometry, type ColladaMesh } from './dae-geometry.ts'
import { placementOf } from './dae-placement.ts'
import type { Extract } from './extractor.ts'
import { IDENTITY, product, type Matrix } from './matrix.ts'
import { damagedModel, type MaterialColor } from './model-facts.ts'
import { ModelScene } from './model-scene.ts'
import { readText } from './text-file.ts'
import { declaredEncoding } from './xml-reader.ts'
import { childOf, childrenOf, descendantsOf, readXmlTree, type XmlElement } from './xml-tree.ts'

/** What says nothing of shape, materials and parts, and may be most of the file. */
const WITHOUT = new Set(
  (
    'library_animations library_animation_clips library_cameras library_images library_lights ' +
    'library_physics_materials library_physics_models library_physics_scenes library_force_fields extra'
  ).split(' '),
)
const NAMED = new Set(['geometry', 'controller', 'material', 'effect', 'node', 'visual_scene'])

/** COLLADA 1.4 and 1.5: the scene as placed by its nodes, in the pose it is bound in. Nothing outside is read. */
export const extract: Extract = async ({ bytes, format }) => {
  const content = new Content()
  const { text } = readText(bytes, content, declaredEncoding(bytes))
  const root = readXmlTree(text, WITHOUT)
  if (root.name !== 'COLLADA')
    throw new UnreadableFile('corrupted', 'The file is XML, but not a COLLADA model.')
  const model = new ColladaModel(root)
  model.show(root)
  const asset = childOf(root, 'asset')
  return content.medium(format, model.scene.facts(), {
    title: childOf(asset, 'title')?.text,
    author: childOf(childOf(asset, 'contributor'), 'author')?.text,
  })
}

class ColladaModel {
  readonly scene = new ModelScene()
  readonly #byId = new Map<string, XmlElement>()
  readonly #meshes = new Map<XmlElement, ColladaMesh>()

  constructor(root: XmlElement) {
    for (const element of descendantsOf(root, NAMED)) {
      const { id } = element.attributes
      if (id !== undefined && !this.#byId.has(id)) this.#byId.set(id, element)
    }
  }

  /** The scene that the file names, else all; without any, its geometries as they are. */
  show(root: XmlElement): void {
    const named = childOf(childOf(root, 'scene'), 'instance_visual_scene')
    const scenes = named
      ? [this.#find(named.attributes['url'])]
      : descendantsOf(root, new Set(['visual_scene']))
    if (scenes.length > 0)
      for (const scene of scenes) for (const node of childrenOf(scene, 'node')) this.#node(node, IDENTITY, 0)
    else
      for (const geometry of descendantsOf(root, new Set(['geometry'])))
        this.#geometry(geometry, IDENTITY, nameOf(geometry))
  }

  #node(node: XmlElement, around: Matrix, depth: number): void {
    this.scene.visit(depth)
    const matrix = product(around, placementOf(node))
    for (const child of node.children)
      switch (child.name) {
        case 'node':
          this.#node(child, matrix, depth + 1)
          break
        case 'instance_node':
          // A node of another file is not read.
          if (isInside(child.attributes['url']))
            this.#node(this.#find(child.attributes['url']), matrix, depth + 1)
          break
        case 'instance_geometry':
        case 'instance_controller':
          this.#instance(child, matrix, nameOf(node))
      }
  }

  #instance(instance: XmlElement, matrix: Matrix, part: string): void {
    if (!isInside(instance.attributes['url'])) return
    const geometry = this.#skinned(this.#find(instance.attributes['url']))
    if (!geometry) return
    this.#geometry(geometry, matrix, part || nameOf(geometry))
    const { symbols } = this.#mesh(geometry)
    for (const bound of descendantsOf(instance, new Set(['instance_material'])))
      if (symbols.has(bound.attributes['symbol'] ?? '')) this.#use(bound.attributes['target'])
  }

  /** What a skin or a morph changes: its geometry, in the end. */
  #skinned(element: XmlElement, depth = 0): XmlElement | null {
    this.scene.visit(depth)
    if (element.name !== 'controller') return element
    const source = (childOf(element, 'skin') ?? childOf(element, 'morph'))?.attributes['source']
    return isInside(source) ? this.#skinned(this.#find(source), depth + 1) : null
  }

  #geometry(geometry: XmlElement, matrix: Matrix, part: string): void {
    const mesh = this.#mesh(geometry)
    if (mesh.points.length === 0) return
    this.scene.place(mesh, matrix)
    this.scene.part(part)
  }

  #mesh(geometry: XmlElement): ColladaMesh {
    const known = this.#meshes.get(geometry) ?? readGeometry(geometry)
    this.#meshes.set(geometry, known)
    return known
  }

  #use(target: string | undefined): void {
    const material = this.#byId.get((target ?? '').slice(1))
    if (material?.name === 'material') this.scene.use(target!, nameOf(material), this.#colorOf(material))
  }

  /** The diffuse colour of its effect, where that is no picture. */
  #colorOf(material: XmlElement): MaterialColor | undefined {
    const url = childOf(material, 'instance_effect')?.attributes['url']
    const effect = isInside(url) ? this.#byId.get(url!.slice(1)) : undefined
    const [diffuse] = effect ? descendantsOf(effect, new Set(['diffuse'])) : []
    const [red, green, blue] = childOf(diffuse, 'color')?.text.trim().split(/\s+/).map(Number) ?? []
    return blue === undefined ? undefined : [red!, green!, blue]
  }

  #find(url: string | undefined): XmlElement {
    const element = this.#byId.get((url ?? '').slice(1))
    if (!element) throw damagedModel('a part that it shows is not there')
    return element
  }
}

/** A place in the file itself. */
const isInside = (url: string | undefined): boolean => url?.startsWith('#') ?? false

const nameOf = ({ attributes }: XmlElement): string => attributes['name'] ?? attributes['id'] ?? ''
