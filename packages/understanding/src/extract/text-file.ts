import { UnreadableFile } from '@medialog/application/ports/understanding'
import { counted } from '@medialog/kernel'
import { countControls, decode, isText, type Decoded } from '../text/encoding.ts'
import type { Content } from './content.ts'

/**
 * The text of a text file, its encoding told from the bytes; places that could not be decoded become a warning.
 * @throws UnreadableFile `corrupted` when the bytes are no text
 */
export function readText(bytes: Uint8Array, content: Content, declared?: string): Decoded {
  if (!isText(bytes)) throw new UnreadableFile('corrupted', 'The file does not hold readable text.')
  const decoded = decode(bytes, declared)
  if (decoded.unreadable > 0)
    content.warn(
      `${counted(decoded.unreadable, 'character')} could not be read in the encoding ${decoded.encoding}.`,
    )
  const controls = countControls(decoded.text)
  if (controls > 0) content.warn(`${controls} control characters that text does not hold were left out.`)
  if (decoded.text.trim() === '') throw new UnreadableFile('corrupted', 'The file holds no text.')
  return decoded
}
