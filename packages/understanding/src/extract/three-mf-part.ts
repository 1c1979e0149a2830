import { IDENTITY, type Matrix } from './matrix.ts'
import { damagedModel, type MaterialColor } from './model-facts.ts'
import type { Mesh } from './model-scene.ts'

type Attributes = Readonly<Record<string, string>>

/** An object shown: which one, of which model of the package where it is another, and how it is placed. */
export interface Placement {
  objectId: string
  path?: string
  matrix: Matrix
}

interface ThreeMfObject {
  name: string
  mesh: Mesh & { points: number[] }
  components: Placement[]
  /** Properties that its triangles name: `group/index`. */
  properties: Set<string>
}

/** One model part, element by element (3MF Core Specification 1.3). */
export class ThreeMfPart {
  readonly objects = new Map<string, ThreeMfObject>()
  readonly items: Placement[] = []
  readonly metadata = new Map<string, string>()
  /** Base materials by `group/index`. */
  readonly materials = new Map<string, { name: string; color?: MaterialColor }>()
  #object: ThreeMfObject | null = null
  /** What triangles have that name nothing of their own: the object's property. */
  #ofObject = { group: '', index: '' }
  #group = ''
  #bases = 0
  #metadata: string | null = null
  #text = ''

  /** Each object once, where it stands: what is shown of a model that builds nothing. */
  get objectIds(): Placement[] {
    return [...this.objects.keys()].map((objectId) => ({ objectId, matrix: IDENTITY }))
  }

  open(name: string, attributes: Attributes): void {
    switch (name) {
      case 'object':
        return this.#openObject(attributes)
      case 'vertex':
        return this.#vertex(attributes)
      case 'triangle':
        return this.#triangle(attributes)
      case 'component':
        this.#object?.components.push(placement(attributes))
        return
      case 'item':
        this.items.push(placement(attributes))
        return
      case 'basematerials':
        this.#group = attributes['id'] ?? ''
        this.#bases = 0
        return
      case 'base':
        this.materials.set(`${this.#group}/${this.#bases++}`, baseMaterial(attributes))
        return
      case 'metadata':
        this.#metadata = this.#object ? null : (attributes['name'] ?? null)
        this.#text = ''
    }
  }

  close(name: string): void {
    if (name === 'object') this.#object = null
    if (name !== 'metadata' || this.#metadata === null) return
    this.metadata.set(this.#metadata, this.#text)
    this.#metadata = null
  }

  text(text: string): void {
    if (this.#metadata !== null) this.#text += text
  }

  #openObject(attributes: Attributes): void {
    this.#object = {
      name: attributes['name'] ?? '',
      mesh: { points: [], triangles: 0 },
      components: [],
      properties: new Set(),
    }
    this.#ofObject = { group: attributes['pid'] ?? '', index: attributes['pindex'] ?? '' }
    this.objects.set(attributes['id'] ?? '', this.#object)
  }

  #vertex({ x, y, z }: Attributes): void {
    const point = [x, y, z].map((value) => Number(value || NaN))
    if (!point.every(Number.isFinite)) throw damagedModel('a corner has coordinates that are not numbers')
    this.#object?.mesh.points.push(...point)
  }

  #triangle(attributes: Attributes): void {
    if (!this.#object) return
    const { mesh, properties } = this.#object
    for (const corner of ['v1', 'v2', 'v3'])
      if (!/^\d+$/.test(attributes[corner] ?? '') || Number(attributes[corner]) >= mesh.points.length / 3)
        throw damagedModel('a triangle names a corner that is not there')
    mesh.triangles++
    const group = attributes['pid'] ?? this.#ofObject.group
    const first = attributes['p1'] ?? this.#ofObject.index
    for (const index of [first, attributes['p2'], attributes['p3']])
      if (index !== undefined && index !== '') properties.add(`${group}/${index}`)
  }
}

/** Its colour stands there as `#RRGGBB` or `#RRGGBBAA`. */
function baseMaterial({ name = '', displaycolor = '' }: Attributes): { name: string; color?: MaterialColor } {
  const digits = /^#([\da-f]{2})([\da-f]{2})([\da-f]{2})(?:[\da-f]{2})?$/i.exec(displaycolor)?.slice(1)
  if (!digits) return { name }
  const [red, green, blue] = digits.map((pair) => Number.parseInt(pair, 16) / 255)
  return { name, color: [red!, green!, blue!] }
}

function placement(attributes: Attributes): Placement {
  const path = Object.entries(attributes).find(([name]) => name === 'path' || name.endsWith(':path'))?.[1]
  return {
    objectId: attributes['objectid'] ?? '',
    matrix: matrixOf(attributes['transform']),
    ...(path !== undefined && { path }),
  }
}

/** Twelve numbers for points as rows: three columns of four rows (core specification 3.3). */
function matrixOf(transform: string | undefined): Matrix {
  if (transform === undefined) return IDENTITY
  const numbers = transform.trim().split(/\s+/).map(Number)
  if (numbers.length !== 12 || !numbers.every(Number.isFinite))
    throw damagedModel('an object is placed by something that is no transformation')
  return [0, 1, 2, 3].flatMap((row) => [...numbers.slice(3 * row, 3 * row + 3), row === 3 ? 1 : 0])
}
