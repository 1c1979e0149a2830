import type { Entry } from 'yauzl'
import { damaged, eachEntry, inflate, openZip } from './zip.ts'

/** The parts of a zip by name. */
export interface Parts {
  names: readonly string[]
  /** The part's bytes, or null when there is none of that name. */
  read(name: string): Promise<Buffer | null>
}

/**
 * Opens an archive that has passed `checkArchive`: parts are inflated whole.
 * @throws UnreadableFile `corrupted`
 */
export async function openParts(bytes: Uint8Array): Promise<Parts> {
  const zip = await openZip(bytes)
  const entries = new Map<string, Entry>()
  const collect = async (entry: Entry): Promise<void> => void entries.set(entry.fileName, entry)
  await eachEntry(zip, collect).catch(() => {
    throw damaged()
  })
  return {
    names: [...entries.keys()],
    async read(name) {
      const entry = entries.get(name)
      if (!entry) return null
      const pieces: Buffer[] = []
      for await (const piece of await inflate(zip, entry)) pieces.push(piece as Buffer)
      return Buffer.concat(pieces)
    },
  }
}
