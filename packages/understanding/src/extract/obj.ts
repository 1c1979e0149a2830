import { UnreadableFile } from '@medialog/application/ports/understanding'
import { counted } from '@medialog/kernel'
import { Content } from './content.ts'
import type { Extract } from './extractor.ts'
import { damagedModel, modelFacts } from './model-facts.ts'
import { readText } from './text-file.ts'
import { UniquePositions } from './unique-positions.ts'

/** Statements of the format's specification (Wavefront, Advanced Visualizer, appendix B1). */
const KNOWN =
  /^(?:v[tnp]?|f|fo|l|p|o|g|s|mg|usemtl|mtllib|usemap|maplib|shadow_obj|trace_obj|cstype|deg|bmat|step|curv2?|surf|parm|trim|hole|scrv|sp|end|con|bevel|c_interp|d_interp|lod|ctech|stech|call|csh)$/

/**
 * Wavefront OBJ, line by line: corners, faces as fans of triangles, materials and parts by name. The material library
 * beside it is not read. An own reader, because ready ones fill in NaN where a face names a corner that is missing.
 */
export const extract: Extract = async ({ bytes, format }) => {
  const content = new Content()
  const { text } = readText(bytes, content)
  const model = new ObjModel()
  for (const line of lines(text)) model.read(line)
  if (model.unknown > model.known)
    throw new UnreadableFile('corrupted', 'The file is not a Wavefront OBJ model.')
  if (model.unknown > 0)
    content.warn(`${counted(model.unknown, 'line')} of the model could not be understood.`)
  const facts = modelFacts(model.positions, {
    triangles: model.triangles,
    materials: [...model.materials],
    parts: [...model.parts],
  })
  return content.medium(format, facts)
}

function* lines(text: string): Generator<string> {
  let start = 0
  while (start < text.length) {
    let end = text.indexOf('\n', start)
    if (end < 0) end = text.length
    let statement = text.slice(start, end).trimEnd()
    start = end + 1
    while (statement.endsWith('\\') && start < text.length) {
      end = text.indexOf('\n', start)
      if (end < 0) end = text.length
      statement = `${statement.slice(0, -1)} ${text.slice(start, end).trimEnd()}`
      start = end + 1
    }
    yield statement.trimStart()
  }
}

class ObjModel {
  readonly positions = new UniquePositions()
  readonly materials = new Set<string>()
  readonly parts = new Set<string>()
  triangles = 0
  known = 0
  unknown = 0
  #vertices = 0

  read(line: string): void {
    if (line === '' || line.startsWith('#')) return
    const [keyword = '', ...values] = line.split(/\s+/)
    if (!KNOWN.test(keyword)) {
      this.unknown++
      return
    }
    this.known++
    if (keyword === 'v') this.#vertex(values)
    else if (keyword === 'f' || keyword === 'fo') this.#face(values)
    else if (keyword === 'usemtl') this.materials.add(values.join(' '))
    else if (keyword === 'o' || keyword === 'g') this.parts.add(values.join(' '))
  }

  #vertex([x, y, z]: string[]): void {
    const [a, b, c] = [Number(x ?? NaN), Number(y ?? NaN), Number(z ?? NaN)]
    if (![a, b, c].every(Number.isFinite)) throw damagedModel('a corner has coordinates that are not numbers')
    this.#vertices++
    this.positions.add(a, b, c)
  }

  /** Indices count from 1, or back from the last corner read when negative. */
  #face(corners: string[]): void {
    for (const corner of corners) {
      const index = Number.parseInt(corner, 10)
      const place = index < 0 ? this.#vertices + index + 1 : index
      if (!(place >= 1 && place <= this.#vertices))
        throw damagedModel('a face names a corner that is not there')
    }
    if (corners.length < 3) throw damagedModel('a face has fewer than three corners')
    this.triangles += corners.length - 2
  }
}
