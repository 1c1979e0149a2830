import { scaled } from '../ocr/grey-picture.ts'
import { recognitionInWords, TextReader } from '../ocr/text-reader.ts'
import type { Content } from './content.ts'
import type { PdfPage } from './pdf-document.ts'
import { pagePicture, type Drawn, type PagePicture } from './pdf-page-picture.ts'

const MOST_PAGES = 20
/** With fewer letters, a page may be a scan that was numbered or stamped. */
const FEW_LETTERS = 32

/** pdf.js's number for showing text, in its OPS table. */
const SHOW_TEXT = 44

/** Reads the words of pages that are pictures, and lists pages whose own text has no known characters. */
export class PdfScans {
  readonly #reader = new TextReader()
  /** Numbers of pages: looked at, read, and with words that were not read. */
  #looked = 0
  readonly #read: number[] = []
  readonly #unread: number[] = []
  readonly #undecoded: number[] = []

  /** Adds the words of a page's pictures, where its own text is nothing or so little that they are the page. */
  async addPage(page: PdfPage, text: string, drawn: () => Promise<Drawn>, content: Content): Promise<void> {
    const letters = text.match(/[\p{L}\p{N}]/gu)?.length ?? 0
    if (letters >= FEW_LETTERS) return
    if (this.#looked >= MOST_PAGES || this.#reader.isOutOfTime) {
      if (letters === 0) this.#unread.push(page.pageNumber)
      return
    }
    this.#looked++
    const picture = async (): Promise<PagePicture | null> => {
      const list = await drawn()
      if (letters === 0 && showsUndecoded(list)) this.#undecoded.push(page.pageNumber)
      return pagePicture(page, list)
    }
    // What cannot be drawn is left out: the page's own text was read.
    const shown = await this.#reader.look(picture).catch(() => null)
    if (shown && (letters === 0 || shown.coverage >= 0.5))
      await this.#addPicture(page.pageNumber, shown, content)
  }

  /** Says in the content what was read so, and what was not. */
  finish(content: Content): void {
    const { recognition } = this.#reader
    if (recognition) {
      content.recognition = { ...recognition, pages: this.#read }
      content.warn(
        `The words of ${pagesInWords(this.#read)} were read from pictures by ${recognitionInWords(recognition)}.`,
      )
    }
    if (this.#undecoded.length > 0)
      content.warn(`The text of ${pagesInWords(this.#undecoded)} could not be decoded.`)
    if (this.#unread.length > 0)
      content.warn(`Words may stand in pictures on ${pagesInWords(this.#unread)} that were not read.`)
  }

  async #addPicture(number: number, { picture }: PagePicture, content: Content): Promise<void> {
    const { width, height } = picture
    const reading = await this.#reader.read({ width, height, grey: async (scale) => scaled(picture, scale) })
    if (reading.outcome === 'unread') this.#unread.push(number)
    if (reading.outcome !== 'read') return
    this.#read.push(number)
    for (const paragraph of reading.text.paragraphs) content.paragraph(paragraph)
  }
}

/** Whether the page shows text without known characters: a font is broken, or does not map its glyphs to Unicode. */
function showsUndecoded({ fnArray, argsArray }: Drawn): boolean {
  return fnArray.some((operator, index) => {
    if (operator !== SHOW_TEXT) return false
    const [glyphs] = argsArray[index] as [(number | { unicode: string; isSpace: boolean } | null)[]]
    const shown = glyphs.filter((glyph) => typeof glyph === 'object' && glyph !== null)
    return shown.length === 0 || shown.some(({ unicode, isSpace }) => !isSpace && NO_CHARACTER.test(unicode))
  })
}
/** An empty string, the replacement character, control characters and those for private use. */
const NO_CHARACTER = /^(?:\ufffd|\p{C})*$/u

/** `page 3`, `pages 1 to 4 and 7` */
function pagesInWords(numbers: readonly number[]): string {
  const runs: [number, number][] = []
  for (const number of numbers) {
    const last = runs.at(-1)
    if (last && last[1] === number - 1) last[1] = number
    else runs.push([number, number])
  }
  const words = runs.map(([first, last]) => (first === last ? `${first}` : `${first} to ${last}`))
  const listed = words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`
  return `${numbers.length === 1 ? 'page' : 'pages'} ${listed}`
}
