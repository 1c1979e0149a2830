import { UnreadableFile } from '@medialog/application/ports/understanding'
import { fromBuffer, type Entry, type ZipFile } from 'yauzl'

export const damaged = (): UnreadableFile =>
  new UnreadableFile('corrupted', 'The file is damaged: its archive cannot be unpacked.')

/** Sizes in headers are not believed. @throws UnreadableFile `corrupted` */
export const openZip = (bytes: Uint8Array): Promise<ZipFile> =>
  new Promise((resolve, reject) => {
    const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    fromBuffer(buffer, { lazyEntries: true, validateEntrySizes: false }, (error, zip) =>
      error ? reject(damaged()) : resolve(zip),
    )
  })

/** Visits one entry after the other. */
export const eachEntry = (zip: ZipFile, visit: (entry: Entry) => Promise<void>): Promise<void> =>
  new Promise((resolve, reject) => {
    zip.on('entry', (entry: Entry) => {
      visit(entry).then(() => zip.readEntry(), reject)
    })
    zip.on('end', resolve)
    zip.on('error', reject)
    zip.readEntry()
  })

/** The entry's bytes as they inflate. */
export const inflate = (zip: ZipFile, entry: Entry): Promise<AsyncIterable<unknown>> =>
  new Promise((resolve, reject) => {
    zip.openReadStream(entry, (error, stream) => (error ? reject(error) : resolve(stream)))
  })
