import { Formula } from './formula.ts'
import { readXml } from './xml-reader.ts'

/** A paragraph or a table, by rows. */
type Block = string | string[][]

export interface Slide {
  /** Text of its title placeholder, or empty. */
  title: string
  blocks: Block[]
  figures: number
}

/** Placeholders that say the same on every slide. */
const REPEATED = new Set(['dt', 'ftr', 'hdr', 'sldNum', 'sldImg'])
const TITLES = new Set(['title', 'ctrTitle'])
/** Charts and diagrams are parts of their own, and count there. */
const GRAPHICS = /\/ole\b/
/** Word art and the like say again what another branch says. */
const FALLBACK = 'Fallback'

/** Reads a slide, or the notes of one (ECMA-376 part 1, 19.3). */
export function readSlide(xml: string): Slide {
  const slide: Slide = { title: '', blocks: [], figures: 0 }
  let placeholder = ''
  let paragraph = ''
  let inText = false
  let rows: string[][] | null = null
  let fallback = 0
  let formula: Formula | null = null
  const endParagraph = (): void => {
    const words = paragraph.trim()
    paragraph = ''
    if (words === '' || REPEATED.has(placeholder)) return
    const row = rows?.at(-1)
    if (row) row.push([row.pop(), words].filter(Boolean).join('\n'))
    else if (TITLES.has(placeholder)) slide.title = [slide.title, words].filter(Boolean).join(' ')
    else slide.blocks.push(words)
  }
  readXml(xml, {
    open(name, attributes) {
      if (name === FALLBACK) fallback++
      if (fallback > 0) return
      if (name === 't') inText = true
      if (formula) formula.open(name, attributes)
      else if (name === 'oMath') formula = new Formula()
      else if (name === 'sp') placeholder = ''
      else if (name === 'ph') placeholder = attributes['type'] ?? 'body'
      else if (name === 'br') paragraph += '\n'
      else if (name === 'pic') slide.figures++
      else if (name === 'cNvPr' && attributes['descr']) slide.blocks.push(attributes['descr'])
      else if (name === 'graphicData' && GRAPHICS.test(attributes['uri'] ?? '')) slide.figures++
      else if (name === 'tbl') rows = []
      else if (name === 'tr') rows?.push([])
      else if (name === 'tc') rows?.at(-1)?.push('')
    },
    text(piece) {
      if (!inText || fallback > 0) return
      if (formula) formula.text(piece)
      else paragraph += piece
    },
    close(name) {
      if (name === FALLBACK) fallback--
      if (fallback > 0) return
      if (name === 't') inText = false
      if (formula && !formula.isClosed) formula.close(name)
      else if (formula) {
        paragraph += String(formula)
        formula = null
      } else if (name === 'p') endParagraph()
      else if (name === 'sp') placeholder = ''
      else if (name === 'tbl' && rows) {
        slide.blocks.push(rows)
        rows = null
      }
    },
  })
  return slide
}
