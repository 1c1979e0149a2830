import { UnreadableFile } from '@medialog/application/ports/understanding'
import { OfficeParser, type OfficeContentNode } from 'officeparser'
import { Content } from './content.ts'
import type { Extract } from './extractor.ts'
import { refuseCompoundFile } from './ooxml.ts'

/** Word processing: headings with levels, tables, pictures, and the properties title, author and pages. */
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
    pageCount: positive(metadata.pages),
  })
}

function addNodes(nodes: readonly OfficeContentNode[], content: Content): void {
  for (const node of nodes) {
    if (content.full) return
    addNode(node, content)
  }
}

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

/** A node's own text; where it has none, that of its parts, blocks parted by a line end. */
function textOf(node: OfficeContentNode): string {
  if (node.text) return node.text
  const children = node.children ?? []
  const blocks = children.some(({ type }) => type === 'paragraph' || type === 'list')
  return children.map(textOf).join(blocks ? '\n' : '')
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
