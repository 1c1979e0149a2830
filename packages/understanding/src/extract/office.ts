import { UnreadableFile } from '@medialog/application/ports/understanding'
import { OfficeParser, type OfficeContentNode } from 'officeparser'
import { Content } from './content.ts'
import type { Extract } from './extractor.ts'

const COMPOUND_FILE = 'd0cf11e0a1b11ae1'
const ENCRYPTED_PACKAGE = Buffer.from('EncryptedPackage', 'utf16le')

/** Word processing: headings with levels, tables, pictures, and the properties title, author and pages. */
export const extract: Extract = async ({ bytes, format }) => {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  refuseCompoundFile(file)
  const content = new Content()
  const { content: nodes, metadata } = await OfficeParser.parseOffice(file, {
    fileType: format.name as 'docx',
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

/** With a password, Office wraps the zip into an OLE compound file (MS-OFFCRYPTO 2.3). */
function refuseCompoundFile(file: Buffer): void {
  if (file.toString('hex', 0, 8) !== COMPOUND_FILE) return
  if (file.includes(ENCRYPTED_PACKAGE))
    throw new UnreadableFile('encrypted', 'The document is protected with a password.')
  throw new UnreadableFile('corrupted', 'The file is an OLE compound file, not the document its name says.')
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
