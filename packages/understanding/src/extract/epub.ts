import { posix } from 'node:path'
import { UnreadableFile } from '@medialog/application/ports/understanding'
import { openParts, type Parts } from '../archive/parts.ts'
import { decode } from '../text/encoding.ts'
import { Content } from './content.ts'
import type { Extract } from './extractor.ts'
import { readHtml } from './html-text.ts'
import { SvgWords } from './svg-words.ts'
import { declaredEncoding, readXml } from './xml-reader.ts'

/** Fonts may be scrambled without the book being locked. */
const FONT_OBFUSCATION = /idpf\.org\/2008\/embedding|ns\.adobe\.com\/pdf\/enc#RC/

/** Where the first element of a chapter is looked for. */
const HEAD = 2048

interface Package {
  title: string
  author: string
  language: string
  /** Documents in reading order. */
  spine: SpineItem[]
}

interface SpineItem {
  /** Inside the archive. */
  path: string
  mediaType: string
}

/** E-books (EPUB 2 and 3): the documents of the spine in their order, and the package's title, author and language. */
export const extract: Extract = async ({ bytes, format }) => {
  const parts = await openParts(bytes)
  await refuseEncrypted(parts)
  const book = await readPackage(parts)
  const content = new Content()
  for (const { path, mediaType } of book.spine) {
    if (content.full) break
    const chapter = await parts.read(path)
    if (chapter && BITMAP.test(mediaType)) content.figureCount++
    else if (chapter) addChapter(text(chapter), path, content)
    else content.warn(`The book names a chapter that it does not hold: ${posix.basename(path)}.`)
  }
  if (content.end === 0 && content.figureCount === 0)
    throw new UnreadableFile('corrupted', 'No content was found in the book.')
  return content.document(format, book)
}

/** A page that is a picture. */
const BITMAP = /^image\/(?!svg)/
const DRAWING = /^(?:[^<]|<[?!])*<(?:\w+:)?svg\b/

/** A chapter, or a page that is drawn, as those of comics. */
function addChapter(xml: string, path: string, content: Content): void {
  if (!DRAWING.test(xml.slice(0, HEAD))) return readHtml(xml, content, { headings: true })
  content.figureCount++
  try {
    readXml(xml, new SvgWords(content))
  } catch (error) {
    if (!(error instanceof UnreadableFile)) throw error
    content.warn(`The page ${posix.basename(path)} could not be read. ${error.message}`)
  }
}

const text = (bytes: Buffer): string => decode(bytes, declaredEncoding(bytes)).text

/** META-INF/encryption.xml lists every part that is encrypted, and how (EPUB OCF 4.2.6.3.2). */
async function refuseEncrypted(parts: Parts): Promise<void> {
  const list = await parts.read('META-INF/encryption.xml')
  if (!list) return
  readXml(text(list), {
    open(name, { Algorithm = '' }) {
      if (name === 'EncryptionMethod' && !FONT_OBFUSCATION.test(Algorithm))
        throw new UnreadableFile('encrypted', 'The book is protected against copying.')
    },
  })
}

async function readPackage(parts: Parts): Promise<Package> {
  const path = await packagePath(parts)
  const file = await parts.read(path)
  if (!file) throw new UnreadableFile('corrupted', 'The book is damaged: its package document is missing.')
  const book: Package = { title: '', author: '', language: '', spine: [] }
  const items = new Map<string, SpineItem>()
  const authors: string[] = []
  let words = ''
  readXml(text(file), {
    open(name, { id, href, idref, 'media-type': mediaType = '' }) {
      words = ''
      if (name === 'item' && id && href)
        items.set(id, { path: posix.join(posix.dirname(path), unescaped(href)), mediaType })
      if (name === 'itemref' && items.has(idref ?? '')) book.spine.push(items.get(idref!)!)
    },
    text: (piece) => (words += piece),
    close(name) {
      if (name === 'title') book.title ||= words.trim()
      if (name === 'language') book.language ||= words.trim()
      if (name === 'creator' && words.trim() !== '') authors.push(words.trim())
      words = ''
    },
  })
  return { ...book, author: authors.join(', ') }
}

async function packagePath(parts: Parts): Promise<string> {
  const container = await parts.read('META-INF/container.xml')
  let path = ''
  if (container)
    readXml(text(container), {
      open: (name, attributes) => void (name === 'rootfile' && (path ||= attributes['full-path'] ?? '')),
    })
  return path || (parts.names.find((name) => name.endsWith('.opf')) ?? '')
}

function unescaped(href: string): string {
  try {
    return decodeURIComponent(href)
  } catch {
    return href
  }
}
