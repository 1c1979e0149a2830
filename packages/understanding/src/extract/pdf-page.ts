import type { Content } from './content.ts'
import type { PdfDocument, PdfItem, PdfPage, PdfTextItem } from './pdf-document.ts'
import type { OutlineEntry } from './pdf-outline.ts'
import type { Drawn } from './pdf-page-picture.ts'
import { withAnnotations } from './pdf-annotations.ts'
import { countPictures, PAGES_DRAWN } from './pdf-pictures.ts'
import type { PdfScans } from './pdf-scans.ts'
import { restoreSoftHyphens } from './pdf-soft-hyphens.ts'
import { readTags, type Tagged } from './pdf-tags.ts'

/**
 * Adds a page's text and structure; the words of its pictures where it has none. Returns false, with a warning, when the
 * page cannot be read.
 */
export async function addPage(
  pdf: PdfDocument,
  number: number,
  outline: OutlineEntry[],
  scans: PdfScans,
  content: Content,
): Promise<boolean> {
  try {
    const page = await pdf.getPage(number)
    let list: Promise<Drawn> | undefined
    const drawn = (): Promise<Drawn> => (list ??= page.getOperatorList())
    const { items } = await page.getTextContent({ includeMarkedContent: true })
    if (number <= PAGES_DRAWN) restoreSoftHyphens(items.filter(isText), await drawn())
    const tags = readTags(await page.getStructTree().catch(() => null))
    content.figureCount += tags.figures || (await picturesOn(page, drawn, content))
    const onPage = outline.filter((entry) => entry.page === number)
    const blocks = blocksOf(await withAnnotations(page, items), tags)
    if (tags.headings.size === 0) matchOutline(blocks, onPage)
    for (const block of blocks) addBlock(block, tags, content)
    await scans.addPage(page, blocks.map(({ text }) => text).join(' '), drawn, content)
    page.cleanup()
    return true
  } catch {
    content.warn(`Page ${number} could not be read.`)
    return false
  }
}

const isText = (item: PdfItem): item is PdfTextItem => 'str' in item

async function picturesOn(page: PdfPage, drawn: () => Promise<Drawn>, content: Content): Promise<number> {
  if (page.pageNumber <= PAGES_DRAWN) return countPictures(await drawn())
  content.warn(`Pictures were counted on the first ${PAGES_DRAWN} pages only.`)
  return 0
}

interface Place {
  x: number
  y: number
  height: number
}

/** A run of lines that belong together: of one tagged element, or set without a gap. */
interface Block {
  text: string
  /** Index into the page's tagged elements; null where the page is not tagged. */
  element: number | null
  level: number | null
}

function addBlock(block: Block, tags: Tagged, content: Content): void {
  const table = block.element === null ? undefined : tags.tables.get(block.element)
  if (block.level !== null) return content.heading(block.text, block.level)
  const start = content.paragraph(block.text)
  if (table) content.tables.push({ ...table, start: start ?? content.end })
}

/** Untagged text falls into blocks at gaps wider than a line and a half. */
function blocksOf(items: readonly PdfItem[], tags: Tagged): Block[] {
  const blocks: Block[] = []
  const open: (number | null)[] = []
  let last: Place | null = null
  for (const item of items) {
    if (!('str' in item)) {
      if (item.type === 'endMarkedContent') open.pop()
      else open.push(tags.elementOf.get(item.id ?? '') ?? null)
      continue
    }
    const element = open.findLast((element) => element !== null) ?? null
    const [, , , , x = 0, y = 0] = item.transform as number[]
    const place: Place = { x, y, height: item.height || last?.height || 10 }
    const block = blocks.at(-1)
    if (item.str === '' && !item.hasEOL) continue
    if (block && block.element === element && (element !== null || !isGap(last, place)))
      block.text += joint(block.text, item.str, last, place) + item.str
    else
      blocks.push({
        text: item.str,
        element,
        level: element === null ? null : (tags.headings.get(element) ?? null),
      })
    if (item.hasEOL) blocks.at(-1)!.text += '\n'
    if (item.str !== '') last = place
  }
  return blocks
    .map((block) => ({ ...block, text: unwrapped(block, tags) }))
    .filter(({ text }) => text.trim() !== '')
}

const isGap = (last: { y: number; height: number } | null, here: { y: number }): boolean =>
  last !== null && Math.abs(last.y - here.y) > 1.8 * last.height

/** Cells of a tagged table come without line ends: a step down or far aside parts them. */
function joint(
  before: string,
  after: string,
  last: { y: number } | null,
  here: { y: number; height: number },
): string {
  if (before === '' || after === '' || /\s$/.test(before) || /^\s/.test(after) || !last) return ''
  return Math.abs(last.y - here.y) > here.height / 2 ? '\n' : ''
}

/** Lines of a paragraph are one text: a line end is the printer's, not the author's. Tables keep theirs. */
function unwrapped({ text, element }: Block, tags: Tagged): string {
  // At the end of a line it is drawn as any hyphen is.
  const hyphenated = text.replace(/\u00ad(?=\n)/g, '-')
  if (element !== null && tags.tables.has(element)) return hyphenated
  return hyphenated
    .replace(/(\p{Ll})-\n(?=\p{Ll})/gu, '$1')
    .replace(/\s*\n\s*/g, element === null ? '\n' : ' ')
}

/** Without tags, a block or its first line that reads as an outline entry is that entry's heading. */
function matchOutline(blocks: Block[], entries: OutlineEntry[]): void {
  let from = 0
  for (const entry of entries) {
    const wanted = plain(entry.title)
    const index = blocks.findIndex((block, at) => at >= from && plain(block.text.split('\n')[0]!) === wanted)
    if (index < 0) continue
    const block = blocks[index]!
    const [first = '', ...rest] = block.text.split('\n')
    const pieces: Block[] = [{ text: first, element: null, level: entry.level }]
    if (rest.length > 0) pieces.push({ text: rest.join('\n'), element: null, level: null })
    blocks.splice(index, 1, ...pieces)
    from = index + 1
  }
}

const plain = (text: string): string => text.normalize('NFKC').replace(/\s+/g, ' ').trim().toLowerCase()
