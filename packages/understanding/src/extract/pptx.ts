import { UnreadableFile } from '@medialog/application/ports/understanding'
import { openParts, type Parts } from '../archive/parts.ts'
import { Content } from './content.ts'
import type { Extract } from './extractor.ts'
import { addDrawn } from './drawn-parts.ts'
import {
  mainPartOf,
  propertiesOf,
  refuseCompoundFile,
  relationshipsOf,
  targetOf,
  xmlPart,
  type Relationships,
} from './ooxml.ts'
import { readSlide, type Slide } from './pptx-slide.ts'
import { readXml } from './xml-reader.ts'

/** PowerPoint presentations: slides in the order in which they are shown, with all their words, and their notes. */
export const extract: Extract = async ({ bytes, format }) => {
  refuseCompoundFile(bytes)
  const parts = await openParts(bytes)
  const paths = await slidePaths(parts)
  const content = new Content()
  for (const [index, path] of paths.entries()) {
    if (content.full) break
    addSlide(readSlide(await xmlPart(parts, path)), index + 1, content)
    const relationships = await relationshipsOf(parts, path)
    await addDrawn(parts, relationships, content)
    addNotes(await notesOf(parts, relationships), content)
  }
  if (paths.length === 0) throw new UnreadableFile('corrupted', 'The presentation holds no slides.')
  return content.document(format, { ...(await propertiesOf(parts)), pageCount: paths.length })
}

async function slidePaths(parts: Parts): Promise<string[]> {
  const main = await mainPartOf(parts, 'ppt/presentation.xml')
  const relationships = await relationshipsOf(parts, main)
  const paths: string[] = []
  readXml(await xmlPart(parts, main), {
    open(name, attributes) {
      const slide = name === 'sldId' && relationships.get(attributes['r:id'] ?? '')
      if (slide) paths.push(slide.target)
    },
  })
  return paths
}

async function notesOf(parts: Parts, relationships: Relationships): Promise<Slide | null> {
  const target = targetOf(relationships, 'notesSlide')
  return target === null ? null : readSlide(await xmlPart(parts, target))
}

function addSlide(slide: Slide, number: number, content: Content): void {
  const [first] = slide.blocks
  const untitled = slide.title === '' && typeof first === 'string'
  content.heading(slide.title || (untitled ? first : `Slide ${number}`), 1, 'slide')
  for (const block of slide.blocks.slice(untitled ? 1 : 0)) {
    if (typeof block === 'string') content.paragraph(block)
    else content.table(block)
  }
  content.figureCount += slide.figures
}

function addNotes(notes: Slide | null, content: Content): void {
  for (const block of notes?.blocks ?? [])
    content.paragraph(`Notes: ${typeof block === 'string' ? block : block.flat().join(' ')}`)
}
