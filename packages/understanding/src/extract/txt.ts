import { Content } from './content.ts'
import type { Extract } from './extractor.ts'
import { readText } from './text-file.ts'

/** Plain text: paragraphs as blank lines part them; it has no title and no headings. */
export const extract: Extract = async ({ bytes, format }) => {
  const content = new Content()
  const { text, encoding } = readText(bytes, content)
  for (const paragraph of text.split(/(?:\r\n?|\n)[ \t]*(?:\r\n?|\n)\s*|\f/)) {
    if (content.full) break
    content.paragraph(paragraph)
  }
  return content.document(format, { encoding })
}
