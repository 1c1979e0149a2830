import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { dirname } from 'node:path'
import { Readable } from 'node:stream'
import type { ReadableStream } from 'node:stream/web'
import { makeFolder, syncFolder, writeDurably } from '@medialog/artifacts/fs/files'
import { PLAIN, type Cipher } from './encryption.ts'

export interface FileDigest {
  sha256: string
  size: number
}

export async function digestOf(path: string): Promise<FileDigest> {
  const sha256 = createHash('sha256')
  let size = 0
  for await (const chunk of createReadStream(path) as AsyncIterable<Buffer>) {
    sha256.update(chunk)
    size += chunk.byteLength
  }
  return { sha256: sha256.digest('hex'), size }
}

/** Copies a file durably into one that is not there yet, through the cipher, and answers what was written. */
export async function copyHashed(
  from: string,
  to: string,
  cipher: Cipher = PLAIN.cipher,
): Promise<FileDigest> {
  await makeFolder(dirname(to))
  const sha256 = createHash('sha256')
  const size = await writeDurably(to, async (file) => {
    let size = 0
    const source = Readable.toWeb(createReadStream(from)) as ReadableStream<Uint8Array>
    for await (const chunk of await cipher(source)) {
      sha256.update(chunk)
      size += chunk.byteLength
      await file.writeFile(chunk)
    }
    return size
  })
  await syncFolder(dirname(to))
  return { sha256: sha256.digest('hex'), size }
}
