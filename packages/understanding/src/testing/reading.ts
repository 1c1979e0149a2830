import { UnreadableFile, type Extraction } from '@medialog/application/ports/understanding'
import { findTrainedData } from '../ocr/trained-data.ts'
import { ExtractorPool } from '../pool/pool.ts'
import { fixtureFile, scratchFolder, sourceFile } from './fixtures.ts'

export type Outcome = Extraction | UnreadableFile

interface Reading {
  /** What comes out of bytes made by a test, under this name. Errors that are not the file's are thrown. */
  read: (name: string, bytes: Uint8Array | string) => Promise<Outcome>
  readFixture(name: string): Promise<Extraction>
  /** Keeps a file beside those that are read. @returns its path */
  write(name: string, bytes: Uint8Array | string): Promise<string>
  close(): Promise<void>
}

/** Reads files in a child process, and English words in pictures, as the service does. */
export async function startReading(): Promise<Reading> {
  const pool = new ExtractorPool({ concurrency: 1, trained: findTrainedData(['eng']) })
  const folder = await scratchFolder()
  return {
    async read(name, bytes) {
      const path = await folder.write(name, bytes)
      try {
        return (await pool.extract(sourceFile(path, Buffer.from(bytes)))).extraction
      } catch (error) {
        if (error instanceof UnreadableFile) return error
        throw error
      }
    },
    readFixture: async (name) => (await pool.extract(await fixtureFile(name))).extraction,
    write: (name, bytes) => folder.write(name, bytes),
    async close() {
      await pool.close()
      await folder.remove()
    },
  }
}
