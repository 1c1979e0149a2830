import { UnreadableFile } from '@medialog/application/ports/understanding'
import { fromBuffer, type Entry, type ZipFile } from 'yauzl'

export const damaged = (): UnreadableFile =>
  new UnreadableFile('corrupted', 'The file is damaged: its archive cannot be unpacked.')

/** Sizes in headers are not believed. @throws UnreadableFile `corrupted` */
export const openZip = (bytes: Uint8Array): Promise<ZipFile> =>
  new Promise((resolve, reject) => {
    fromBuffer(withoutTail(bytes), { lazyEntries: true, validateEntrySizes: false }, (error, zip) =>
      error ? reject(damaged()) : resolve(zip),
    )
  })

const END_OF_DIRECTORY = 'PK\x05\x06'
const COMMENT_LENGTH_AT = 20
const COMMENT_AT = 22

/** Up to the end of the archive's comment (APPNOTE 4.3.16): mail and web servers append line ends and more. */
function withoutTail(bytes: Uint8Array): Buffer {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const end = file.lastIndexOf(END_OF_DIRECTORY, undefined, 'latin1')
  if (end < 0 || end + COMMENT_AT > file.length) return file
  return file.subarray(0, end + COMMENT_AT + file.readUInt16LE(end + COMMENT_LENGTH_AT))
}

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
