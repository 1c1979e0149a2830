import { Content } from './content.ts'
import type { Extract } from './extractor.ts'
import { readHtml } from './html-text.ts'
import { readText } from './text-file.ts'

const META_CHARSET = /<meta[^>]+charset\s*=\s*["']?\s*([\w:-]+)/i

const OPENED = /<(?:html|body)[\s>]/i
const CLOSED = /<\/(?:html|body)\s*>/i

/** A page's own words: navigation, footers, scripts and styles are left out. */
export const extract: Extract = async ({ bytes, format }) => {
  const content = new Content()
  const head = Buffer.from(bytes.subarray(0, 4096)).toString('latin1')
  const { text, encoding } = readText(bytes, content, META_CHARSET.exec(head)?.[1])
  if (OPENED.test(text) && !CLOSED.test(text))
    content.warn('The page is not closed at its end: the rest may be missing.')
  const meta = { title: '', author: '', language: '' }
  readHtml(text, content, { headings: true, meta })
  return content.document(format, { ...meta, encoding })
}
