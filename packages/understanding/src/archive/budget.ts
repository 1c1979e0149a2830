import { UnreadableFile } from '@medialog/application/ports/understanding'
import { fromBuffer, type Entry, type ZipFile } from 'yauzl'

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
 * @throws UnreadableFile `too-large`, `encrypted` for parts with a password, `corrupted` for what does not inflate
 */
export async function checkArchive(bytes: Uint8Array, budget: ArchiveBudget = ARCHIVE_BUDGET): Promise<void> {
  const zip = await open(bytes)
  const limit = Math.min(budget.bytes, Math.max(budget.floor, bytes.length * budget.ratio))
  let inflated = 0
  let parts = 0
  await eachEntry(zip, async (entry) => {
    if (++parts > budget.parts) throw tooLarge(`more than ${budget.parts} parts`)
    if (entry.isEncrypted())
      throw new UnreadableFile('encrypted', 'The archive is protected with a password.')
    if (entry.fileName.endsWith('/')) return
    for await (const piece of await inflate(zip, entry)) {
      inflated += (piece as Buffer).length
      if (inflated > limit) throw tooLarge(`more than ${Math.round(limit / 1e6)} MB`)
    }
  }).catch((error: unknown) => {
    throw error instanceof UnreadableFile ? error : damaged()
  })
}

const tooLarge = (what: string): UnreadableFile =>
  new UnreadableFile('too-large', `The file expands to ${what}, beyond what is read.`)

const damaged = (): UnreadableFile =>
  new UnreadableFile('corrupted', 'The file is damaged: its archive cannot be unpacked.')

const open = (bytes: Uint8Array): Promise<ZipFile> =>
  new Promise((resolve, reject) => {
    const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    fromBuffer(buffer, { lazyEntries: true, validateEntrySizes: false }, (error, zip) =>
      error ? reject(damaged()) : resolve(zip),
    )
  })

const eachEntry = (zip: ZipFile, visit: (entry: Entry) => Promise<void>): Promise<void> =>
  new Promise((resolve, reject) => {
    zip.on('entry', (entry: Entry) => {
      visit(entry).then(() => zip.readEntry(), reject)
    })
    zip.on('end', resolve)
    zip.on('error', reject)
    zip.readEntry()
  })

const inflate = (zip: ZipFile, entry: Entry): Promise<AsyncIterable<unknown>> =>
  new Promise((resolve, reject) => {
    zip.openReadStream(entry, (error, stream) => (error ? reject(error) : resolve(stream)))
  })
