import { createHash, randomUUID } from 'node:crypto'
import { open, readdir, rename, rm, stat, statfs, type FileHandle } from 'node:fs/promises'
import { join } from 'node:path'
import {
  EngineUnavailable,
  FileTooLarge,
  fullDisk,
  type Room,
  type StagedFile,
  type Staging,
} from '@medialog/application/ports'
import { UUID_PATTERN, type Uuid } from '@medialog/kernel'
import { checkedId } from '../names.ts'
import { diskOf, hasCode, makeFolder, syncFolder, writeDurably } from './files.ts'

const HEAD_BYTES = 8_192
/** Room does not come by itself: whoever is refused need not come back at once. */
const FULL_FOR_SECONDS = 60
/** The name's end while a file is not whole yet. */
const PART = '.part'

export interface FsStaging extends Staging {
  /** As the port has it, under an id that is given. */
  stage(
    source: AsyncIterable<Uint8Array>,
    limit: (head: Uint8Array) => number,
    id?: Uuid,
  ): Promise<StagedFile>
  /** A file that was staged elsewhere, under its id; takes the place of one that is here. */
  restore(id: Uuid, source: AsyncIterable<Uint8Array>): Promise<void>
  /** Ids of all files that are whole. */
  ids(): Promise<Uuid[]>
}

export interface FsStagingOptions {
  /** Younger files that nobody names may be another process's, and are not swept: 0, as by default, where there is no other. */
  graceMs?: number
  /** With less than that free on its disk no file is staged. */
  reservedBytes?: number
}

/** Staged uploads as files of one folder, named by their ids. */
export async function openFsStaging(
  folder: string,
  { graceMs = 0, reservedBytes = 0 }: FsStagingOptions = {},
): Promise<FsStaging> {
  await diskOf('staging', () => makeFolder(folder))
  return new StagedFiles(folder, graceMs, reservedBytes)
}

class StagedFiles implements FsStaging {
  #folder: string
  #graceMs: number
  #reservedBytes: number
  #arriving = new Set<string>()

  constructor(folder: string, graceMs: number, reservedBytes: number) {
    this.#folder = folder
    this.#graceMs = graceMs
    this.#reservedBytes = reservedBytes
  }

  async stage(
    source: AsyncIterable<Uint8Array>,
    limit: (head: Uint8Array) => number,
    id: Uuid = randomUUID(),
  ): Promise<StagedFile> {
    const room = await this.room()
    if (room.free < room.reserved)
      throw new EngineUnavailable('staging', fullDisk(room), { retryAfterSeconds: FULL_FOR_SECONDS })
    const received = await this.#arrive(id, (file) => receive(source, limit, file))
    return { id, path: this.#path(id), ...received }
  }

  async restore(id: Uuid, source: AsyncIterable<Uint8Array>): Promise<void> {
    await this.#arrive(checkedId(id), (file) => file.writeFile(source))
  }

  async release(id: Uuid): Promise<void> {
    await diskOf('staging', () => rm(this.#path(checkedId(id)), { force: true }))
  }

  async sweep(keep: ReadonlySet<Uuid>): Promise<number> {
    let swept = 0
    for (const name of await readdir(this.#folder)) {
      if (keep.has(name) || this.#arriving.has(name)) continue
      const path = join(this.#folder, name)
      if (this.#graceMs > 0 && (await isYounger(path, this.#graceMs))) continue
      await rm(path, { force: true })
      swept++
    }
    return swept
  }

  async room(): Promise<Room> {
    const { bavail, bsize } = await diskOf('staging', () => statfs(this.#folder))
    return { free: bavail * bsize, reserved: this.#reservedBytes }
  }

  async ids(): Promise<Uuid[]> {
    return (await readdir(this.#folder)).filter((name) => UUID_PATTERN.test(name))
  }

  async reopen(id: Uuid): Promise<Pick<StagedFile, 'id' | 'path' | 'size' | 'head'>> {
    const path = this.#path(checkedId(id))
    try {
      return await diskOf('staging', async () => {
        await using file = await open(path, 'r')
        const { size } = await file.stat()
        const head = Buffer.alloc(Math.min(size, HEAD_BYTES))
        await file.read(head, 0, head.length, 0)
        return { id, path, size, head }
      })
    } catch (error) {
      if (hasCode(error, 'ENOENT')) throw new Error(`no staged file ${id}`, { cause: error })
      throw error
    }
  }

  /** A file that is there under its id once it is whole. */
  async #arrive<T>(id: Uuid, write: (file: FileHandle) => Promise<T>): Promise<T> {
    const part = randomUUID() + PART
    this.#arriving.add(part)
    try {
      return await diskOf('staging', async () => {
        const result = await writeDurably(join(this.#folder, part), write)
        await rename(join(this.#folder, part), this.#path(id))
        await syncFolder(this.#folder)
        return result
      })
    } finally {
      this.#arriving.delete(part)
    }
  }

  #path(id: Uuid): string {
    return join(this.#folder, id)
  }
}

/** One that is gone is as good as young: there is nothing to be removed. */
const isYounger = async (path: string, milliseconds: number): Promise<boolean> =>
  stat(path).then(
    ({ mtimeMs }) => Date.now() - mtimeMs < milliseconds,
    () => true,
  )

/** One chunk in memory at a time, and the head. Leaving the loop by a throw ends the source too. */
async function receive(
  source: AsyncIterable<Uint8Array>,
  limit: (head: Uint8Array) => number,
  file: FileHandle,
): Promise<Pick<StagedFile, 'size' | 'sha256' | 'head'>> {
  const sha256 = createHash('sha256')
  let head = Buffer.alloc(0)
  let most: number | null = null
  let size = 0
  const checkSize = () => {
    most ??= limit(head)
    if (size > most) throw new FileTooLarge(most)
  }
  for await (const chunk of source) {
    size += chunk.byteLength
    if (head.byteLength < HEAD_BYTES)
      head = Buffer.concat([head, chunk.subarray(0, HEAD_BYTES - head.byteLength)])
    if (head.byteLength === HEAD_BYTES) checkSize()
    sha256.update(chunk)
    await file.writeFile(chunk)
  }
  checkSize()
  return { size, sha256: sha256.digest('hex'), head }
}
