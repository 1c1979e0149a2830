/** What is said of a paragraph. */
export interface ParagraphProperties {
  /** Index into the style sheet. */
  style: number
  inTable: boolean
  /** It is the mark behind the last cell of a row. */
  rowEnd: boolean
  /** 0 to 8, 9 for text; null where only the style says. */
  outlineLevel: number | null
}

interface Run extends ParagraphProperties {
  /** Where it ends in the document stream, exclusive. */
  end: number
}

const PAGE = 512
/** Bytes of an entry behind the offsets of a page (MS-DOC 2.9.23). */
const ENTRY = 13
/** Modifiers (MS-DOC 2.6.2). */
const IN_TABLE = 0x2416
const ROW_END = 0x2417
const OUTLINE_LEVEL = 0x2640
const TABLE_DEFINITION = 0xd608
/** Bytes of an operand by the three highest bits of its modifier; 6 states its own length. */
const OPERAND = [1, 1, 2, 4, 2, 2, null, 3]

const PLAIN: ParagraphProperties = { style: 0, inTable: false, rowEnd: false, outlineLevel: null }

/** Looks properties of paragraphs up by a place in the document stream. */
export class ParagraphTable {
  readonly #runs: Run[]

  /** `bins` lists the pages of the document stream that hold the properties (MS-DOC 2.8.6). */
  constructor(bins: Buffer, document: Buffer) {
    const count = Math.max(0, Math.floor((bins.length - 4) / 8))
    const pages = Array.from(
      { length: count },
      (_, index) => bins.readUInt32LE(4 * (count + 1) + 4 * index) & 0x3fffff,
    )
    this.#runs = pages
      .flatMap((page) => runsOf(document.subarray(page * PAGE, (page + 1) * PAGE)))
      .toSorted((a, b) => a.end - b.end)
  }

  at(offset: number): ParagraphProperties {
    let [low, high] = [0, this.#runs.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if (this.#runs[middle]!.end > offset) high = middle
      else low = middle + 1
    }
    return this.#runs[low] ?? PLAIN
  }
}

function runsOf(page: Buffer): Run[] {
  if (page.length < PAGE) return []
  const count = Math.min(page[PAGE - 1]!, Math.floor((PAGE - 5) / (4 + ENTRY)))
  return Array.from({ length: count }, (_, index) => {
    const start = 2 * page[4 * (count + 1) + ENTRY * index]!
    return { end: page.readUInt32LE(4 * (index + 1)), ...(start === 0 ? PLAIN : propertiesAt(page, start)) }
  })
}

/** MS-DOC 2.9.181: a length, the style, then modifiers. */
function propertiesAt(page: Buffer, start: number): ParagraphProperties {
  const length = page[start]!
  const [from, size] = length === 0 ? [start + 2, 2 * (page[start + 1] ?? 0)] : [start + 1, 2 * length - 1]
  const modifiers = page.subarray(from, from + size)
  if (modifiers.length < 2) return PLAIN
  const properties = { ...PLAIN, style: modifiers.readUInt16LE(0) }
  for (let at = 2; at + 3 <= modifiers.length;) {
    const modifier = modifiers.readUInt16LE(at)
    const value = modifiers[at + 2]!
    if (modifier === IN_TABLE) properties.inTable = value !== 0
    else if (modifier === ROW_END) properties.rowEnd = value !== 0
    else if (modifier === OUTLINE_LEVEL) properties.outlineLevel = value
    at += 2 + operandLength(modifiers, at, modifier)
  }
  return properties
}

function operandLength(modifiers: Buffer, at: number, modifier: number): number {
  const fixed = OPERAND[modifier >> 13]
  if (fixed) return fixed
  if (modifier === TABLE_DEFINITION && at + 4 <= modifiers.length) return 1 + modifiers.readUInt16LE(at + 2)
  return 1 + modifiers[at + 2]!
}
