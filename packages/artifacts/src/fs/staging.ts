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
import { Holders, type HolderNotes, type HolderTimes } from '../holders.ts'
import { checkedId } from '../names.ts'
import { diskOf, forEach, hasCode, makeFolder, syncFolder, writeDurably } from './files.ts'
import { openFsHolderNotes } from './holder-notes.ts'

const HEAD_BYTES = 8_192
/** Room takes time to come: a refused client need not come back at once. */
const FULL_FOR_SECONDS = 60
/** The name's end while a file is not whole yet. */
const PART = '.part'

export interface FsStaging extends Staging {
  /** A file that was staged elsewhere, under its id; takes the place of one that is here. */
  restore(id: Uuid, source: AsyncIterable<Uint8Array>): Promise<void>
  /** Ids of all files that are whole. */
  ids(): Promise<Uuid[]>
  /** Lets go of what was staged. */
  close(): Promise<void>
}

export interface FsStagingOptions {
  /** Folder in which processes that share this one say what they hold; not given: there is no other. */
  holders?: string
  holderTimes?: HolderTimes
  /** With less than that free on its disk no file is staged. */
  reservedBytes?: number
}

/** Staged uploads as files of one folder, named by their ids. */
export async function openFsStaging(
  folder: string,
  { holders, holderTimes, reservedBytes = 0 }: FsStagingOptions = {},
): Promise<FsStaging> {
  await diskOf('staging', () => makeFolder(folder))
  const notes = holders === undefined ? null : await openFsHolderNotes(holders)
  return new StagedFiles(folder, reservedBytes, notes, holderTimes)
}

class StagedFiles implements FsStaging {
  #folder: string
  #reservedBytes: number
  #arriving = new Set<string>()
  /** What this process staged and, as far as it knows, is there still. */
  #staged = new Set<string>()
  #holders: Holders | null

  constructor(
    folder: string,
    reservedBytes: number,
    notes: HolderNotes | null,
    times: HolderTimes | undefined,
  ) {
    this.#folder = folder
    this.#reservedBytes = reservedBytes
    this.#holders = notes && new Holders(notes, () => this.#held(), times)
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
    this.#staged.delete(id)
  }

  async sweep(neededOf: (ids: readonly Uuid[]) => Promise<ReadonlySet<Uuid>>): Promise<number> {
    const shared = await this.#holders?.look()
    const unheld: string[] = []
    for (const name of await diskOf('staging', () => readdir(this.#folder))) {
      if (!isOurs(name)) continue
      if (this.#arriving.has(name) || shared?.held.has(name)) continue
      if (shared && (await isYounger(join(this.#folder, name), shared.before))) continue
      unheld.push(name)
    }
    const ids = unheld.filter((name) => UUID_PATTERN.test(name))
    const needed = ids.length > 0 ? await neededOf(ids) : new Set<Uuid>()
    const left = unheld.filter((name) => !needed.has(name))
    await diskOf('staging', () =>
      forEach(left, (name) => rm(join(this.#folder, name), { recursive: true, force: true })),
    )
    return left.length
  }

  async room(): Promise<Room> {
    const { bavail, bsize } = await diskOf('staging', () => statfs(this.#folder))
    return { free: bavail * bsize, reserved: this.#reservedBytes }
  }

  async ids(): Promise<Uuid[]> {
    const found = await diskOf('staging', () => readdir(this.#folder))
    return found.filter((name) => UUID_PATTERN.test(name))
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

  async close(): Promise<void> {
    await this.#holders?.close()
  }

  async #held(): Promise<string[]> {
    const there = new Set(await readdir(this.#folder))
    // Others released the rest.
    for (const name of this.#staged) if (!there.has(name)) this.#staged.delete(name)
    return [...this.#arriving, ...this.#staged]
  }

  /** A file that is there under its id once it is whole. */
  async #arrive<T>(id: Uuid, write: (file: FileHandle) => Promise<T>): Promise<T> {
    const part = randomUUID() + PART
    this.#arriving.add(part)
    this.#arriving.add(id)
    try {
      const result = await diskOf('staging', async () => {
        const result = await writeDurably(join(this.#folder, part), write)
        await rename(join(this.#folder, part), this.#path(id))
        await syncFolder(this.#folder)
        return result
      })
      this.#staged.add(id)
      return result
    } finally {
      this.#arriving.delete(part)
      this.#arriving.delete(id)
    }
  }

  #path(id: Uuid): string {
    return join(this.#folder, id)
  }
}

/** Other files in the folder were not staged by the service. */
const isOurs = (name: string): boolean =>
  UUID_PATTERN.test(name.endsWith(PART) ? name.slice(0, -PART.length) : name)

/** One that is gone is as good as young: there is nothing to be removed. */
const isYounger = async (path: string, moment: number): Promise<boolean> =>
  stat(path).then(
    ({ mtimeMs }) => mtimeMs > moment,
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
