import {
  UnreadableFile,
  UnsupportedFileType,
  type Extraction,
} from '@medialog/application/ports/understanding'
import { checkArchive } from '../archive/budget.ts'
import { formatRow } from '../formats.ts'
import { isZip } from '../signature.ts'
import { identify } from '../sniff.ts'
import { SEPARATOR, type Content } from './content.ts'
import type { ReadableFile } from './extractor.ts'

const HEAD = 8192
/** Files in files in files: a message may hold a message, and that one a document. */
const DEEPEST = 3
/** Looking at a picture or into a film takes a good part of a second. */
const MOST_MEDIA = 12

let depth = 0

interface EmbeddedFile {
  filename: string
  bytes: Uint8Array
  /** As the file around it states; none by default. */
  mimeType?: string
}

/**
 * Adds the text of a file inside a file under a heading of its own, of a medium what is known of it in words besides. Of an
 * unknown format only the name is known; what cannot be read becomes a warning.
 */
export async function readEmbedded(
  { filename, bytes, mimeType }: EmbeddedFile,
  content: Content,
): Promise<void> {
  if (depth >= DEEPEST) return
  depth++
  try {
    const format = identify(filename, bytes.subarray(0, HEAD), mimeType)
    if (format.mediaType !== 'document' && ++content.mediaCount > MOST_MEDIA)
      return content.warn(`Of pictures, recordings and models only the first ${MOST_MEDIA} were read.`)
    const extraction = await read({ filename, bytes, format })
    if (extraction.text !== '') content.embed(extraction, filename)
  } catch (error) {
    if (error instanceof UnsupportedFileType) return
    const why = error instanceof UnreadableFile ? ` ${error.message}` : ''
    content.warn(`The attachment ${filename} could not be read.${why}`)
  } finally {
    depth--
  }
}

async function read(file: ReadableFile): Promise<Extraction> {
  const row = formatRow(file.format.name)
  if (row.zip && isZip(file.bytes)) await checkArchive(file.bytes)
  const { extract } = await row.load()
  const { thumbnails: _, ...extraction } = await extract(file)
  if (row.mediaType === 'document') return extraction
  const { factsInWords } = await import('../enrich/facts.ts')
  const texts = [extraction.text, factsInWords(extraction)].filter((text) => text !== '')
  return { ...extraction, text: texts.join(SEPARATOR) }
}
