import { UnreadableFile } from '@medialog/application/ports/understanding'
import { OfficeParser, type OfficeContentNode } from 'officeparser'
import { openParts } from '../archive/parts.ts'
import { Content } from './content.ts'
import type { Extract } from './extractor.ts'
import { languageOfDocument, refuseCompoundFile } from './ooxml.ts'

/** Word processing: headings with levels, tables, notes, pictures, and the properties title, author, language and pages. */
export const extract: Extract = async ({ bytes, format }) => {
  refuseCompoundFile(bytes)
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const content = new Content()
  const { content: nodes, metadata } = await OfficeParser.parseOffice(file, {
    fileType: 'docx',
    ocr: false,
    extractAttachments: true,
    ignoreNotes: false,
  })
  addNodes(nodes, content)
  if (content.end === 0 && content.figureCount === 0)
    throw new UnreadableFile('corrupted', 'No content was found in the document.')
  return content.document(format, {
    title: metadata.title,
    author: metadata.author,
    language: await languageOfDocument(await openParts(bytes)),
    pageCount: positive(metadata.pages),
  })
}

function addNodes(nodes: readonly OfficeContentNode[], content: Content): void {
  for (const node of nodes) {
    if (content.full) return
    addNode(node, content)
    for (const note of notesOf(node)) content.paragraph(textOf(note))
  }
}

/** Footnotes and endnotes hang on the words that they are to: they are said behind the paragraph, or the table. */
const notesOf = (node: OfficeContentNode): OfficeContentNode[] => [
  ...(node.notes ?? []),
  ...(node.children ?? []).flatMap(notesOf),
]

function addNode(node: OfficeContentNode, content: Content): void {
  switch (node.type) {
    case 'heading':
      content.figureCount += countImages(node)
      if (isTitle(node)) content.paragraph(textOf(node))
      else content.heading(textOf(node), levelOf(node))
      return
    case 'table':
      content.figureCount += countImages(node)
      return content.table((node.children ?? []).map((row) => (row.children ?? []).map(textOf)))
    case 'image':
    case 'chart':
    case 'drawing':
      content.figureCount++
      return
    case 'paragraph':
    case 'list':
    case 'text':
    case 'code':
      content.figureCount += countImages(node)
      content.paragraph(textOf(node))
      return
    default:
      if (node.children?.length) addNodes(node.children, content)
      else content.paragraph(node.text ?? '')
  }
}

const FIGURES = new Set(['image', 'chart', 'drawing'])

const countImages = (node: OfficeContentNode): number =>
  (node.children ?? []).reduce((sum, child) => sum + (FIGURES.has(child.type) ? 1 : countImages(child)), 0)

const BLOCKS = new Set(['paragraph', 'heading', 'list', 'table', 'row', 'cell'])

/** The text of a node's blocks, parted by line ends; where it has none, its own, for that of a cell lacks its tables'. */
function textOf(node: OfficeContentNode): string {
  const children = node.children ?? []
  if (children.some(({ type }) => BLOCKS.has(type))) return children.map(textOf).filter(Boolean).join('\n')
  return node.text || children.map(textOf).join('')
}

interface Styled {
  level?: unknown
  style?: unknown
}

const isTitle = ({ metadata }: OfficeContentNode): boolean =>
  /^(sub)?title$/i.test(String((metadata as Styled | undefined)?.style))

function levelOf({ metadata }: OfficeContentNode): number {
  const level = Number((metadata as Styled | undefined)?.level)
  return Number.isInteger(level) && level >= 1 ? Math.min(level, 9) : 1
}

const positive = (pages: unknown): number | null => (typeof pages === 'number' && pages > 0 ? pages : null)
