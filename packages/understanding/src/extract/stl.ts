import { UnreadableFile } from '@medialog/application/ports/understanding'
import { Content } from './content.ts'
import type { Extract } from './extractor.ts'
import { damagedModel, modelFacts } from './model-facts.ts'
import { NumberWords } from './number-words.ts'
import { readText } from './text-file.ts'
import { UniquePositions } from './unique-positions.ts'

const HEADER = 84
const FACET = 50

/** STL, as text or binary: triangles, and the names of solids where it is text. Materials it has none. */
export const extract: Extract = async ({ bytes, format }) => {
  const content = new Content()
  const positions = new UniquePositions()
  const parts = new Set<string>()
  const triangles = isBinary(bytes)
    ? readBinary(bytes, positions)
    : readFacets(readText(bytes, content).text, positions, parts)
  return content.medium(format, modelFacts(positions, { triangles, materials: [], parts: [...parts] }))
}

/** Some binary files begin with `solid` too: the length that the count asks for tells them. */
function isBinary(bytes: Uint8Array): boolean {
  const start = Buffer.from(bytes.subarray(0, 256)).toString('latin1')
  if (bytes.length >= HEADER && bytes.length === HEADER + FACET * facetCount(bytes)) return true
  return !/^\s*solid\b/i.test(start) || start.includes('\0')
}

const viewOf = (bytes: Uint8Array): DataView => new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)

const facetCount = (bytes: Uint8Array): number => viewOf(bytes).getUint32(80, true)

function readBinary(bytes: Uint8Array, positions: UniquePositions): number {
  if (bytes.length < HEADER || bytes.length < HEADER + FACET * facetCount(bytes))
    throw damagedModel('it has fewer triangles than its header states')
  const view = viewOf(bytes)
  const count = facetCount(bytes)
  for (let facet = 0; facet < count; facet++)
    for (let corner = 1; corner <= 3; corner++) {
      const at = HEADER + FACET * facet + 12 * corner
      positions.add(view.getFloat32(at, true), view.getFloat32(at + 4, true), view.getFloat32(at + 8, true))
    }
  return count
}

/** @returns the number of triangles */
function readFacets(text: string, positions: UniquePositions, parts: Set<string>): number {
  const words = new NumberWords(text)
  let triangles = 0
  let corners = 0
  let open = false
  for (let word = words.next(); word !== null; word = words.next())
    switch (word.toLowerCase()) {
      case 'solid':
        parts.add(words.line())
        open = true
        break
      case 'endsolid':
        words.line()
        open = false
        break
      case 'facet':
      case 'outer':
        words.line()
        corners = 0
        break
      case 'vertex':
        positions.add(words.number(), words.number(), words.number())
        corners++
        break
      case 'endloop':
        if (corners !== 3) throw damagedModel('a facet is no triangle')
        triangles++
        break
      case 'endfacet':
        break
      default:
        throw new UnreadableFile('corrupted', 'The file is damaged, or no STL model.')
    }
  if (open) throw damagedModel('it ends in the middle')
  return triangles
}
