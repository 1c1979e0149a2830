import { crc32 } from 'node:zlib'
import { UnreadableFile } from '@medialog/application/ports/understanding'
import { damaged, eachEntry, inflate, openZip } from './zip.ts'

interface ArchiveBudget {
  /** Bytes that all parts together may really inflate to. */
  bytes: number
  parts: number
  /** How many times its own size an archive may inflate to, once it passes `floor` bytes. */
  ratio: number
  floor: number
}

export const ARCHIVE_BUDGET: ArchiveBudget = {
  bytes: 200_000_000,
  parts: 10_000,
  ratio: 100,
  floor: 20_000_000,
}

/**
 * Inflates every part of a zip, keeping nothing, and stops at the first byte over budget. Sizes in headers are not
 * believed. To be passed before any parser sees the archive.
 * @throws UnreadableFile `too-large`, `encrypted` for parts with a password, `corrupted` for what does not inflate to
 * what its checksum says
 */
export async function checkArchive(bytes: Uint8Array, budget: ArchiveBudget = ARCHIVE_BUDGET): Promise<void> {
  const zip = await openZip(bytes)
  const limit = Math.min(budget.bytes, Math.max(budget.floor, bytes.length * budget.ratio))
  let inflated = 0
  let parts = 0
  await eachEntry(zip, async (entry) => {
    if (++parts > budget.parts) throw tooLarge(`more than ${budget.parts} parts`)
    if (entry.isEncrypted())
      throw new UnreadableFile('encrypted', 'The archive is protected with a password.')
    if (entry.fileName.endsWith('/')) return
    let checksum = 0
    for await (const piece of await inflate(zip, entry)) {
      checksum = crc32(piece as Buffer, checksum)
      inflated += (piece as Buffer).length
      if (inflated > limit) throw tooLarge(`more than ${Math.round(limit / 1e6)} MB`)
    }
    if (checksum !== entry.crc32) throw damaged()
  }).catch((error: unknown) => {
    throw error instanceof UnreadableFile ? error : damaged()
  })
}

const tooLarge = (what: string): UnreadableFile =>
  new UnreadableFile('too-large', `The file expands to ${what}, beyond what is read.`)
