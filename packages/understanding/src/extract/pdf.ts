import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { basename, dirname, join } from 'node:path'
import { UnreadableFile } from '@medialog/application/ports/understanding'
import { getDocumentProxy } from 'unpdf'
import { Content } from './content.ts'
import type { Extract } from './extractor.ts'
import type { PdfDocument } from './pdf-document.ts'
import { addPage } from './pdf-page.ts'
import { outlineOf } from './pdf-outline.ts'
import { PdfScans } from './pdf-scans.ts'

/** Larger pictures on a page are left out. */
const MOST_PIXELS = 50_000_000
/** Which codes stand for which characters, in fonts that a file names and does not hold: those of East Asia. */
const CMAPS = join(dirname(createRequire(import.meta.url).resolve('pdfjs-dist/package.json')), 'cmaps')

/**
 * A PDF's text layer page by page, the words of its pictures where a page has none; headings, tables and figures from its
 * tags, else headings from its outline.
 */
export const extract: Extract = async ({ bytes, format }) => {
  const content = new Content()
  const pdf = await open(bytes)
  const { info } = await pdf.getMetadata().catch(() => ({ info: {} as Record<string, unknown> }))
  const outline = await outlineOf(pdf)
  const scans = new PdfScans()
  let readable = 0
  let broken = 0
  for (let number = 1; number <= pdf.numPages && !content.full; number++)
    if (await addPage(pdf, number, outline, scans, content)) readable++
    else broken++
  if (readable === 0 || (content.end === 0 && broken > 0))
    throw new UnreadableFile('corrupted', 'No page of the PDF could be read.')
  scans.finish(content)
  if (content.end === 0) content.warn('The PDF has no text layer, and no words were read from its pictures.')
  const stated = info as Record<string, unknown>
  return content.document(format, {
    title: stated['Title'],
    author: stated['Author'],
    language: typeof stated['Language'] === 'string' ? stated['Language'] : null,
    pageCount: pdf.numPages,
  })
}

/** PDF.js for servers would ask the network. Nothing is drawn, so it needs neither fonts nor colour profiles. */
class CMapFiles {
  async fetch({ kind, filename }: { kind: string; filename: string }): Promise<Uint8Array> {
    if (kind !== 'cMapUrl') throw new Error(`there is no ${filename}`)
    return new Uint8Array(await readFile(join(CMAPS, basename(filename))))
  }
}

/** A document that restricts copying but opens without a password is read; one that asks for a password is not. */
async function open(bytes: Uint8Array): Promise<PdfDocument> {
  try {
    return await getDocumentProxy(bytes, {
      verbosity: 0,
      stopAtErrors: false,
      maxImageSize: MOST_PIXELS,
      BinaryDataFactory: CMapFiles,
    })
  } catch (error) {
    if (error instanceof Error && error.name === 'PasswordException')
      throw new UnreadableFile('encrypted', 'The PDF is protected with a password.')
    throw new UnreadableFile('corrupted', 'The PDF is damaged and could not be opened.')
  }
}
