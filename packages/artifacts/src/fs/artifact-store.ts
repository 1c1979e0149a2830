import { randomUUID } from 'node:crypto'
import { readdir, readFile, rename, rm, rmdir, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import {
  EngineUnavailable,
  type ArtifactReceipt,
  type ArtifactStore,
  type IngestRef,
} from '@medialog/application/ports'
import { UUID_PATTERN } from '@medialog/kernel'
import { checkedName, pathOf } from '../names.ts'
import { receiptOf } from '../receipt.ts'
import { diskOf, forEach, hasCode, makeFolder, syncFolder, writeDurably } from './files.ts'

/** A put takes seconds: what is older was left by a crash, also with other writers in the folder. */
const LEFT_BEHIND_AFTER_MS = 3_600_000
/** Each lost to another deletion in the same parent, within microseconds. */
const MOST_ATTEMPTS = 1_000

export interface FsArtifactStore extends ArtifactStore {
  /** Removes what crashes left of puts. Only where nothing else writes to the folder now. Answers how many files. */
  sweep(): Promise<number>
}

/** Artifacts as files `<account>/<media>/<ingest>/<name>` under `root`, which several processes may share. */
export async function openFsArtifactStore(root: string): Promise<FsArtifactStore> {
  const store = new FilesOfIngests(root)
  await diskOf('artifact store', () => store.prepare())
  return store
}

class FilesOfIngests implements FsArtifactStore {
  readonly remote = false
  #root: string
  /** Files not whole yet. */
  #writing: string
  /** Folders of ingests that are gone for every reader. */
  #erasing: string

  constructor(root: string) {
    this.#root = root
    this.#writing = join(root, '.writing')
    this.#erasing = join(root, '.erasing')
  }

  async prepare(): Promise<void> {
    await makeFolder(this.#writing)
    await makeFolder(this.#erasing)
    // What cannot be erased now is no reason not to start: its deletion was not answered, and is tried again.
    await forEach(await readdir(this.#erasing), (name) => this.#erase(name)).catch(() => undefined)
    await this.#sweepOlderThan(LEFT_BEHIND_AFTER_MS)
  }

  async put(ingest: IngestRef, name: string, bytes: Uint8Array): Promise<ArtifactReceipt> {
    const folders = foldersOf(this.#root, ingest)
    const final = join(folders.ingest, checkedName(name))
    await diskOf('artifact store', async () => {
      await this.#moveIn(await this.#written(bytes), folders.ingest, final)
      for (const folder of [folders.ingest, folders.media, folders.account, this.#root])
        await syncFolder(folder).catch(ignoreGone)
    })
    return receiptOf(bytes)
  }

  async add(ingest: IngestRef, name: string, bytes: Uint8Array): Promise<ArtifactReceipt | null> {
    const folder = foldersOf(this.#root, ingest).ingest
    const final = join(folder, checkedName(name))
    return diskOf('artifact store', async () => {
      const temporary = await this.#written(bytes)
      try {
        // Deleting takes the folder away whole: then there is nowhere to move to, and nothing makes it again.
        await rename(temporary, final)
        await syncFolder(folder)
        return receiptOf(bytes)
      } catch (error) {
        await rm(temporary, { force: true })
        return ignoreGone(error)
      }
    })
  }

  async retain(ingest: IngestRef, names: readonly string[]): Promise<void> {
    const folder = foldersOf(this.#root, ingest).ingest
    await diskOf('artifact store', async () => {
      const others = (await namesIn(folder)).filter((name) => !names.includes(name))
      if (others.length === 0) return
      for (const name of others) await rm(join(folder, name), { force: true })
      await syncFolder(folder).catch(ignoreGone)
    })
  }

  async get(ingest: IngestRef, name: string): Promise<Uint8Array | null> {
    const path = join(foldersOf(this.#root, ingest).ingest, checkedName(name))
    return diskOf('artifact store', () => readFile(path).catch(ignoreGone))
  }

  async deleteIngest(ingest: IngestRef): Promise<void> {
    const folders = foldersOf(this.#root, ingest)
    const { ingestId } = ingest
    await diskOf('artifact store', async () => {
      // All of it is gone at once, and for good: what a crash leaves of the rest is erased at the next start.
      const moved = rename(folders.ingest, join(this.#erasing, `${ingestId}.${randomUUID()}`))
      if ((await moved.then(() => true, ignoreGone)) !== null)
        await syncFolder(folders.media).catch(ignoreGone)
      // An attempt before this one may have come no further.
      const left = (await readdir(this.#erasing)).filter((name) => name.startsWith(ingestId))
      await forEach(left, (name) => this.#erase(name))
      await removeWhereEmpty(folders.media)
      await removeWhereEmpty(folders.account)
    })
  }

  names(ingest: IngestRef): Promise<string[]> {
    return diskOf('artifact store', () => namesIn(foldersOf(this.#root, ingest).ingest))
  }

  async *list(): AsyncGenerator<IngestRef> {
    for (const accountId of await idsIn(this.#root))
      for (const mediaId of await idsIn(join(this.#root, accountId)))
        for (const ingestId of await idsIn(join(this.#root, accountId, mediaId))) {
          const ingest = { accountId, mediaId, ingestId }
          // A folder may be there before its first file.
          if ((await namesWherePossible(foldersOf(this.#root, ingest).ingest)).length > 0) yield ingest
        }
  }

  async check(): Promise<void> {
    await stat(this.#root).catch((error: Error) => {
      throw new EngineUnavailable('artifact store', `artifact store: ${error.message}`, { cause: error })
    })
  }

  sweep(): Promise<number> {
    return this.#sweepOlderThan(0)
  }

  /** A file of these bytes that is not renamed yet. */
  async #written(bytes: Uint8Array): Promise<string> {
    const temporary = join(this.#writing, randomUUID())
    await writeDurably(temporary, (file) => file.writeFile(bytes))
    return temporary
  }

  /** Deleting a neighbour may take an empty parent away between the two steps: then once more. */
  async #moveIn(temporary: string, folder: string, final: string): Promise<void> {
    for (let attempt = 1; ; attempt++) {
      try {
        await makeFolder(folder)
        return await rename(temporary, final)
      } catch (error) {
        // Node says ENOTDIR where a folder vanished while it made the one inside.
        if (hasCode(error, 'ENOENT', 'ENOTDIR') && attempt < MOST_ATTEMPTS) continue
        await rm(temporary, { force: true })
        throw error
      }
    }
  }

  async #erase(name: string): Promise<void> {
    // An `add` that was looking for the folder when it was moved away may still land in it.
    await rm(join(this.#erasing, name), { recursive: true, force: true, maxRetries: 5 })
    await syncFolder(this.#erasing)
  }

  async #sweepOlderThan(milliseconds: number): Promise<number> {
    let swept = 0
    for (const name of await readdir(this.#writing)) {
      const path = join(this.#writing, name)
      const found = await stat(path).catch(ignoreGone)
      if (!found || Date.now() - found.mtimeMs < milliseconds) continue
      await rm(path, { force: true })
      swept++
    }
    return swept
  }
}

function ignoreGone(error: unknown): null {
  if (hasCode(error, 'ENOENT')) return null
  throw error
}

/** The folder of the ingest and those that it lies in. @throws RangeError */
function foldersOf(root: string, ref: IngestRef) {
  const ingest = join(root, pathOf(ref))
  const media = dirname(ingest)
  return { account: dirname(media), media, ingest }
}

const namesIn = async (folder: string): Promise<string[]> => (await readdir(folder).catch(ignoreGone)) ?? []

/** Empty for a folder that cannot be read: the other folders are still listed. */
const namesWherePossible = (folder: string): Promise<string[]> => readdir(folder).catch(() => [])

const idsIn = async (folder: string): Promise<string[]> =>
  (await namesWherePossible(folder)).filter((name) => UUID_PATTERN.test(name))

async function removeWhereEmpty(folder: string): Promise<void> {
  try {
    await rmdir(folder)
  } catch (error) {
    if (!hasCode(error, 'ENOENT', 'ENOTEMPTY', 'EEXIST')) throw error
  }
}
