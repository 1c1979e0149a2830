import { Content } from './content.ts'
import type { Extract } from './extractor.ts'
import { damagedModel, modelFacts } from './model-facts.ts'
import { readPlyHeader, type PlyElement } from './ply-header.ts'
import { plyValues, type PlyValues } from './ply-values.ts'
import { UniquePositions } from './unique-positions.ts'

/** Stanford PLY, as text or binary of either byte order: corners, and faces as fans or strips of triangles. */
export const extract: Extract = async ({ bytes, format }) => {
  const header = readPlyHeader(bytes)
  const values = plyValues(bytes, header)
  const model = new PlyModel()
  const corners = header.elements.find(({ name }) => name === 'vertex')?.count ?? 0
  for (const element of header.elements) model.read(element, values, corners)
  const facts = modelFacts(model.positions, { triangles: model.triangles, materials: [], parts: [] })
  return new Content().medium(format, facts)
}

class PlyModel {
  readonly positions = new UniquePositions()
  triangles = 0

  read(element: PlyElement, values: PlyValues, corners: number): void {
    const { name, count, properties } = element
    // Nothing is stored of what has no properties, however many there are said to be.
    if (properties.length === 0) return
    const point = { x: NaN, y: NaN, z: NaN }
    for (let index = 0; index < count; index++) {
      for (const { name: property, type, countType } of properties) {
        if (countType === null) {
          const value = values.read(type)
          if (property === 'x' || property === 'y' || property === 'z') point[property] = value
          continue
        }
        const list = values.list(countType, type)
        if (!/^vertex_ind(?:ex|ices)$/.test(property)) continue
        if (name === 'face') this.#face(list, corners)
        else if (name === 'tristrips') this.#strips(list, corners)
      }
      if (name === 'vertex') this.positions.add(point.x, point.y, point.z)
    }
  }

  #face(list: readonly number[], corners: number): void {
    if (list.length < 3) throw damagedModel('a face has fewer than three corners')
    refuseMissing(list, corners)
    this.triangles += list.length - 2
  }

  /** Strips one behind the other, parted by -1. */
  #strips(list: readonly number[], corners: number): void {
    let length = 0
    for (const index of list) {
      length = index === -1 ? 0 : length + 1
      if (length >= 3) this.triangles++
    }
    refuseMissing(
      list.filter((index) => index !== -1),
      corners,
    )
  }
}

function refuseMissing(list: readonly number[], corners: number): void {
  if (!list.every((index) => index >= 0 && index < corners))
    throw damagedModel('a face names a corner that is not there')
}
