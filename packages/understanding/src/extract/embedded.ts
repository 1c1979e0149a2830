import {
  UnreadableFile,
  UnsupportedFileType,
  type Extraction,
} from '@medialog/application/ports/understanding'
import { checkArchive } from '../archive/budget.ts'
import { formatRow } from '../formats.ts'
import { identify } from '../sniff.ts'
import type { Content } from './content.ts'

const HEAD = 8192
/** Files in files in files: a message may hold a message, and that one a document. */
const DEEPEST = 3

let depth = 0

/**
 * Adds the text of a file inside a file under a heading of its own. Of what is no document of a known format, or needs a
 * child process with other permissions, only the name is known; what cannot be read becomes a warning.
 */
export async function readEmbedded(
  { filename, bytes }: { filename: string; bytes: Uint8Array },
  content: Content,
): Promise<void> {
  if (depth >= DEEPEST) return
  depth++
  try {
    const extraction = await read(filename, bytes)
    if (extraction && extraction.text !== '') content.embed(extraction, filename)
  } catch (error) {
    if (error instanceof UnsupportedFileType) return
    const why = error instanceof UnreadableFile ? ` ${error.message}` : ''
    content.warn(`The attachment ${filename} could not be read.${why}`)
  } finally {
    depth--
  }
}

async function read(filename: string, bytes: Uint8Array): Promise<Extraction | null> {
  const format = identify(filename, bytes.subarray(0, HEAD))
  const row = formatRow(format.name)
  if (row.profile !== 'script' || format.mediaType !== 'document') return null
  if (row.zip) await checkArchive(bytes)
  const { extract } = await row.load()
  return extract({ bytes, filename, format })
}
