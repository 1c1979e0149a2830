import type { Extraction, Format } from '@medialog/application/ports/understanding'

/** A file as an extractor gets it: whole, in memory, inside a child process. */
export interface ReadableFile {
  bytes: Uint8Array
  filename: string
  format: Format
}

/**
 * Reads one file. The same bytes give the same extraction, always.
 * @throws UnreadableFile with a sentence for the uploader; anything else thrown means `corrupted`
 */
export type Extract = (file: ReadableFile) => Promise<Extraction>
