import { UnreadableFile } from '@medialog/application/ports/understanding'
import { openParts, type Parts } from '../archive/parts.ts'
import { Content } from './content.ts'
import { DocxReader } from './docx-reader.ts'
import { readStyles } from './docx-styles.ts'
import { addDrawn } from './drawn-parts.ts'
import type { Extract } from './extractor.ts'
import {
  languageOfStyles,
  mainPartOf,
  propertiesOf,
  refuseCompoundFile,
  relationshipsOf,
  xmlPart,
  xmlPartOf,
  type Relationships,
} from './ooxml.ts'
import { readXml } from './xml-reader.ts'

/**
 * Word processing (ECMA-376 part 1, 17): headings with levels, tables, notes, pictures, text boxes, charts, diagrams and
 * embedded files, and the properties title, author, language and pages.
 */
export const extract: Extract = async ({ bytes, format }) => {
  refuseCompoundFile(bytes)
  const parts = await openParts(bytes)
  const main = await mainPartOf(parts, 'word/document.xml')
  const relationships = await relationshipsOf(parts, main)
  const styled = await xmlPartOf(parts, relationships, 'styles', 'word/styles.xml')
  const styles = readStyles(styled)
  const content = new Content()
  const reader = new DocxReader(content, styles, {
    footnote: await notesOf(parts, relationships, 'footnote', styles),
    endnote: await notesOf(parts, relationships, 'endnote', styles),
  })
  readXml(await xmlPart(parts, main), reader)
  await addDrawn(parts, relationships, content)
  if (content.end === 0 && content.figureCount === 0)
    throw new UnreadableFile('corrupted', 'No content was found in the document.')
  const properties = await propertiesOf(parts)
  properties.language ||= languageOfStyles(styled)
  return content.document(format, properties)
}

/** The words of the notes by their ids. */
async function notesOf(
  parts: Parts,
  relationships: Relationships,
  kind: 'footnote' | 'endnote',
  styles: ReturnType<typeof readStyles>,
): Promise<ReadonlyMap<string, string>> {
  const found = new Map<string, string>()
  const xml = await xmlPartOf(parts, relationships, `${kind}s`, `word/${kind}s.xml`)
  if (xml === null) return found
  let note = new Content()
  let id = ''
  let reader = new DocxReader(note, styles, {})
  readXml(xml, {
    open(name, attributes) {
      if (name === kind) {
        id = attributes['w:id'] ?? ''
        note = new Content()
        reader = new DocxReader(note, styles, {})
      } else reader.open(name, attributes)
    },
    close(name) {
      if (name === kind) found.set(id, note.words)
      else reader.close(name)
    },
    text: (piece) => reader.text(piece),
  })
  return found
}
