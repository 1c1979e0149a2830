/** Built-in styles by number (MS-DOC 2.9.260): 1 to 9 are headings. */
const TITLE = 62
const SUBTITLE = 74
const NO_STYLE = 0xfff

export interface WordStyle {
  /** From 1, or null for text. */
  level: number | null
  isTitle: boolean
}

interface Definition {
  builtIn: number
  base: number
  name: string
}

/** What the styles of a style sheet (MS-DOC 2.9.271) mean, by index; a style means what the one it is based on means. */
export function stylesOf(sheet: Buffer): WordStyle[] {
  const definitions = definitionsOf(sheet)
  return definitions.map((_, index) => meaning(index, definitions, 0))
}

function meaning(index: number, definitions: readonly (Definition | null)[], depth: number): WordStyle {
  const definition = definitions[index]
  if (!definition || depth > definitions.length) return { level: null, isTitle: false }
  const { builtIn, name, base } = definition
  if (builtIn === TITLE || builtIn === SUBTITLE || /^(sub)?title$/i.test(name))
    return { level: null, isTitle: true }
  const [, numbered] = /^heading (\d)$/i.exec(name) ?? []
  const level = builtIn >= 1 && builtIn <= 9 ? builtIn : Number(numbered ?? 0)
  return level > 0 ? { level, isTitle: false } : meaning(base, definitions, depth + 1)
}

function definitionsOf(sheet: Buffer): (Definition | null)[] {
  if (sheet.length < 6) return []
  const baseLength = sheet.readUInt16LE(4)
  const found: (Definition | null)[] = []
  for (let at = 2 + sheet.readUInt16LE(0); at + 2 <= sheet.length;) {
    const length = sheet.readUInt16LE(at)
    const definition = sheet.subarray(at + 2, at + 2 + length)
    found.push(
      definition.length >= baseLength + 2 && length >= 4 ? definitionOf(definition, baseLength) : null,
    )
    at += 2 + length + (length % 2)
  }
  return found
}

function definitionOf(definition: Buffer, baseLength: number): Definition {
  const nameLength = definition.readUInt16LE(baseLength)
  return {
    builtIn: definition.readUInt16LE(0) & 0xfff,
    base: (definition.readUInt16LE(2) >> 4) & NO_STYLE,
    name: definition.toString('utf16le', baseLength + 2, baseLength + 2 + 2 * nameLength),
  }
}
