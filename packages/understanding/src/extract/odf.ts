import { UnreadableFile } from '@medialog/application/ports/understanding'
import { openParts, type Parts } from '../archive/parts.ts'
import { decode } from '../text/encoding.ts'
import { Content } from './content.ts'
import type { Extract } from './extractor.ts'
import { OdfReader } from './odf-reader.ts'
import { xmlPart } from './ooxml.ts'
import { readXml } from './xml-reader.ts'

/** OpenDocument text and presentations: headings, tables, pictures, slides with notes, and the properties. */
export const extract: Extract = async ({ bytes, format }) => {
  const parts = await openParts(bytes)
  await refuseEncryptedOdf(parts)
  const content = new Content()
  const reader = new OdfReader(content)
  readXml(await xmlPart(parts, 'content.xml'), reader)
  await addObjects(parts, content)
  if (content.end === 0 && content.figureCount === 0)
    throw new UnreadableFile('corrupted', 'No content was found in the document.')
  const meta = await metaOf(parts)
  meta.language ||= await languageOfStyles(parts)
  return content.document(format, { ...meta, pageCount: reader.slides || meta.pageCount })
}

const OBJECT = /^(.+)\/content\.xml$/

/** Adds the words of charts, sheets and texts that are embedded in a document, each in a folder of its own. */
export async function addObjects(parts: Parts, content: Content): Promise<void> {
  const { figureCount } = content
  for (const name of parts.names) {
    if (content.full) break
    const [, folder] = OBJECT.exec(name) ?? []
    if (folder === undefined) continue
    try {
      readXml(await xmlPart(parts, name), new OdfReader(content))
    } catch (error) {
      if (!(error instanceof UnreadableFile)) throw error
      content.warn(`The attachment ${folder} could not be read. ${error.message}`)
    }
  }
  // Their frames were counted.
  content.figureCount = figureCount
}

/** The archive of a locked document is open, its parts are not: the manifest says so (ODF 3.4.1). */
export async function refuseEncryptedOdf(parts: Parts): Promise<void> {
  const manifest = await parts.read('META-INF/manifest.xml')
  if (!manifest) return
  readXml(decode(manifest).text, {
    open(name) {
      if (name === 'encryption-data')
        throw new UnreadableFile('encrypted', 'The document is protected with a password.')
    },
  })
}

export interface Meta {
  title: string
  author: string
  language: string
  pageCount: number | null
}

/** The language in which a document is written unless a paragraph says otherwise: that of its default style. */
async function languageOfStyles(parts: Parts): Promise<string> {
  const part = await parts.read('styles.xml')
  if (!part) return ''
  let language = ''
  let isDefault = false
  readXml(decode(part).text, {
    open(name, attributes) {
      if (name === 'default-style') isDefault = true
      const [told, country] = [attributes['fo:language'], attributes['fo:country']]
      if (name !== 'text-properties' || !isDefault || !told || told === 'none') return
      language ||= country && country !== 'none' ? `${told}-${country}` : told
    },
    close(name) {
      if (name === 'default-style') isDefault = false
    },
    full: () => language !== '',
  })
  return language
}

/** What meta.xml says of the document. */
export async function metaOf(parts: Parts): Promise<Meta> {
  const meta: Meta = { title: '', author: '', language: '', pageCount: null }
  const part = await parts.read('meta.xml')
  if (!part) return meta
  let words = ''
  let creator = ''
  readXml(decode(part).text, {
    open(name, attributes) {
      words = ''
      const pages = Number(attributes['meta:page-count'])
      if (name === 'document-statistic' && pages > 0) meta.pageCount = pages
    },
    text: (piece) => (words += piece),
    close(name) {
      if (name === 'title') meta.title ||= words
      if (name === 'language') meta.language ||= words
      if (name === 'initial-creator') meta.author ||= words
      if (name === 'creator') creator ||= words
    },
  })
  return { ...meta, author: meta.author || creator }
}
