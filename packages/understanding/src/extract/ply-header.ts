import { damagedModel } from './model-facts.ts'

export const PLY_TYPES = [
  'int8',
  'uint8',
  'int16',
  'uint16',
  'int32',
  'uint32',
  'float32',
  'float64',
] as const
export type PlyType = (typeof PLY_TYPES)[number]

export interface PlyElement {
  name: string
  count: number
  properties: {
    name: string
    type: PlyType
    /** What a list's length is stored as; null for a single value. */
    countType: PlyType | null
  }[]
}

export interface PlyHeader {
  encoding: 'ascii' | 'binary_little_endian' | 'binary_big_endian'
  elements: PlyElement[]
  /** Where the values begin, in bytes. */
  end: number
}

const LONGEST_HEADER = 65_536
const END = /\nend_header[ \t]*\r?\n/
/** Names of the first PLY files; newer ones say the sizes. */
const OLD_NAMES: ReadonlyMap<string, PlyType> = new Map(
  Object.entries<PlyType>({
    char: 'int8',
    uchar: 'uint8',
    short: 'int16',
    ushort: 'uint16',
    int: 'int32',
    uint: 'uint32',
    float: 'float32',
    double: 'float64',
  }),
)

/** @throws UnreadableFile `corrupted` */
export function readPlyHeader(bytes: Uint8Array): PlyHeader {
  const start = Buffer.from(bytes.subarray(0, LONGEST_HEADER)).toString('latin1')
  const end = END.exec(start)
  if (!end) throw damagedModel('its header has no end')
  let encoding: PlyHeader['encoding'] | undefined
  const elements: PlyElement[] = []
  for (const line of start.slice(0, end.index).split(/\r?\n/)) {
    const [keyword, ...words] = line.trim().split(/\s+/)
    if (keyword === 'format') encoding = encodingOf(words[0])
    else if (keyword === 'element') elements.push(elementOf(words))
    else if (keyword === 'property') addProperty(elements.at(-1), words)
  }
  if (!encoding) throw damagedModel('its header does not say how it is stored')
  return { encoding, elements, end: end.index + end[0].length }
}

function encodingOf(word = ''): PlyHeader['encoding'] {
  if (word === 'ascii' || word === 'binary_little_endian' || word === 'binary_big_endian') return word
  throw damagedModel('it is stored in a way that PLY does not know')
}

function elementOf([name = '', count = '']: string[]): PlyElement {
  if (!/^\d{1,15}$/.test(count)) throw damagedModel('its header states no number of parts')
  return { name, count: Number(count), properties: [] }
}

function addProperty(element: PlyElement | undefined, words: string[]): void {
  if (!element) throw damagedModel('its header describes nothing')
  const [list, countType, type, name] = words[0] === 'list' ? words : [null, null, words[0], words[1]]
  if (name === undefined) throw damagedModel('its header is not complete')
  element.properties.push({
    name,
    type: typeOf(type),
    countType: list === null ? null : typeOf(countType),
  })
}

function typeOf(word: string | null | undefined): PlyType {
  const type = OLD_NAMES.get(word ?? '') ?? PLY_TYPES.find((name) => name === word)
  if (!type) throw damagedModel('its header names a type that PLY does not know')
  return type
}
