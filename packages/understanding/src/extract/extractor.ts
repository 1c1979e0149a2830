import type { Extraction, Format } from '@medialog/application/ports/understanding'

/** A file as an extractor gets it: whole, in memory, inside a child process. */
export interface ReadableFile {
  bytes: Uint8Array
  filename: string
  format: Format
}

/** What was read, and of a video a JPEG of each key frame: those are kept apart from words and numbers. */
export type ReadFile = Extraction & { thumbnails?: Uint8Array[] }

/**
 * Reads one file. The same bytes give the same extraction, always.
 * @throws UnreadableFile with a sentence for the uploader; anything else thrown means `corrupted`
 */
export type Extract = (file: ReadableFile) => Promise<ReadFile>
