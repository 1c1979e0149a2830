import type { Extraction, Format } from '@medialog/application/ports/understanding'
import type { Extracted } from '../pool/protocol.ts'

/** A file as an extractor gets it: whole, in memory, inside a child process. */
export interface ReadableFile {
  bytes: Uint8Array
  filename: string
  format: Format
  /** Whether its sound is wanted, to be listened to for speech. */
  withSpeech?: boolean
}

/** What was read; apart from words and numbers, of a video a JPEG of each key frame, and sound. */
export type ReadFile = Extraction & Pick<Extracted, 'thumbnails' | 'spoken'>

/**
 * Reads one file. The same bytes give the same extraction, always.
 * @throws UnreadableFile with a sentence for the uploader; anything else thrown means `corrupted`
 */
export type Extract = (file: ReadableFile) => Promise<ReadFile>
