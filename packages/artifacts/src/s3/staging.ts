import { randomUUID } from 'node:crypto'
import { openAsBlob } from 'node:fs'
import { periodically } from '@medialog/application/core/periodically'
import type { Room, StagedFile, Staging } from '@medialog/application/ports'
import { UUID_PATTERN, type Uuid } from '@medialog/kernel'
import { openFsStaging, type FsStaging } from '../fs/staging.ts'
import { Holders, type HolderTimes } from '../holders.ts'
import { checkedId } from '../names.ts'
import type { Bucket } from './bucket.ts'
import { s3HolderNotes } from './holder-notes.ts'

const STAGED = 'staging/'
const FIRST_RETRY_MS = 1_000
const LONGEST_RETRY_MS = 60_000
/** How often working copies are looked at whose file another process may have released. */
const LOOK_AT_COPIES_MS = 30_000

export interface S3Staging extends Staging {
  /** What could not be removed yet is left to the next sweep. */
  close(): Promise<void>
}

export interface S3StagingOptions {
  /** For working copies; this process owns it. */
  folder: string
  /** Whether other processes may be at the bucket: each says there what it holds. */
  shared: boolean
  holderTimes?: HolderTimes
  /** With less than that free on the disk of `folder` no file is staged: 0 unless told. */
  reservedBytes?: number
  /** For tests. */
  lookAtCopiesMs?: number
}

/** Staged uploads as objects `staging/<id>`, which any process takes up again; who works on one has a copy in `folder`. */
export async function openS3Staging(
  bucket: Bucket,
  { folder, shared, holderTimes, reservedBytes = 0, lookAtCopiesMs = LOOK_AT_COPIES_MS }: S3StagingOptions,
): Promise<S3Staging> {
  const copies = await openFsStaging(folder, { reservedBytes })
  // What a crash cut off is no copy of anything.
  await copies.sweep(async (ids) => new Set(ids))
  return new StagedObjects(bucket, copies, shared, holderTimes, lookAtCopiesMs)
}

class StagedObjects implements S3Staging {
  #bucket: Bucket
  #copies: FsStaging
  #arriving = new Set<Uuid>()
  /** What this process staged and, as far as it knows, is there still. */
  #staged = new Set<Uuid>()
  #holders: Holders | null
  #restoring = new Map<Uuid, Promise<void>>()
  /** To be removed once the storage is back. */
  #owed = new Set<Uuid>()
  #retry: NodeJS.Timeout | null = null
  #stopping = new AbortController()
  #looking: Promise<void>

  constructor(
    bucket: Bucket,
    copies: FsStaging,
    shared: boolean,
    times: HolderTimes | undefined,
    lookAtCopiesMs: number,
  ) {
    this.#bucket = bucket
    this.#copies = copies
    this.#holders = shared ? new Holders(s3HolderNotes(bucket), () => this.#held(), times) : null
    const look = (): Promise<void> => this.#removeReleased()
    this.#looking = periodically(lookAtCopiesMs, this.#stopping.signal, look, { ref: false })
  }

  async stage(
    source: AsyncIterable<Uint8Array>,
    limit: (head: Uint8Array) => number,
    id: Uuid = randomUUID(),
  ): Promise<StagedFile> {
    this.#arriving.add(id)
    try {
      const staged = await this.#copies.stage(source, limit, id)
      try {
        await this.#bucket.put(keyOf(id), await openAsBlob(staged.path), staged.sha256)
        this.#staged.add(id)
        return staged
      } catch (error) {
        await this.#copies.release(id)
        // It may have arrived, or still be on its way.
        this.#owe(id, FIRST_RETRY_MS)
        throw error
      }
    } finally {
      this.#arriving.delete(id)
    }
  }

  room(): Promise<Room> {
    return this.#copies.room()
  }

  async release(id: Uuid): Promise<void> {
    await this.#copies.release(id)
    this.#staged.delete(id)
    await this.#removeOnceThere(id, FIRST_RETRY_MS)
  }

  async sweep(neededOf: (ids: readonly Uuid[]) => Promise<ReadonlySet<Uuid>>): Promise<number> {
    const shared = await this.#holders?.look()
    const unheld: Uuid[] = []
    for await (const { key, modifiedAt } of this.#bucket.list(STAGED)) {
      const id = key.slice(STAGED.length)
      if (!UUID_PATTERN.test(id) || this.#arriving.has(id)) continue
      if (!shared || (!shared.held.has(id) && modifiedAt <= shared.before)) unheld.push(id)
    }
    const needed = unheld.length > 0 ? await neededOf(unheld) : new Set<Uuid>()
    const left = unheld.filter((id) => !needed.has(id))
    for (const id of left) {
      await this.#bucket.remove(keyOf(id))
      await this.#copies.release(id)
    }
    return left.length
  }

  async reopen(id: Uuid): Promise<Pick<StagedFile, 'id' | 'path' | 'size' | 'head'>> {
    const size = await this.#bucket.size(keyOf(id))
    if (size === null || this.#owed.has(id)) {
      await this.#copies.release(id)
      throw new Error(`no staged file ${id}`)
    }
    const copy = await this.#copies.reopen(id).catch(() => null)
    if (copy?.size === size) return copy
    await this.#restore(id, size)
    return this.#copies.reopen(id)
  }

  async close(): Promise<void> {
    this.#stopping.abort()
    await this.#looking
    if (this.#retry) clearTimeout(this.#retry)
    await this.#holders?.close()
  }

  async #held(): Promise<string[]> {
    const copies = new Set(await this.#copies.ids())
    // Others released the rest.
    for (const id of this.#staged) if (!copies.has(id)) this.#staged.delete(id)
    return [...this.#arriving, ...this.#staged]
  }

  /** One copy for all who ask for it at once. */
  #restore(id: Uuid, size: number): Promise<void> {
    let restoring = this.#restoring.get(id)
    if (!restoring) {
      restoring = this.#copies
        .restore(id, this.#bucket.read(keyOf(id), size))
        .finally(() => this.#restoring.delete(id))
      this.#restoring.set(id, restoring)
    }
    return restoring
  }

  /** Copies of files that another process released: no other process removes them here. */
  async #removeReleased(): Promise<void> {
    try {
      for (const id of await this.#copies.ids()) {
        if (this.#arriving.has(id) || this.#restoring.has(id)) continue
        if ((await this.#bucket.size(keyOf(id))) === null) await this.#copies.release(id)
      }
    } catch {
      // Storage is unavailable: the next look finds them.
    }
  }

  /** Unavailable storage is not reported: what the file was staged for is done, or has failed already. */
  async #removeOnceThere(id: Uuid, pauseMs: number): Promise<void> {
    try {
      await this.#bucket.remove(keyOf(id))
      this.#owed.delete(id)
    } catch {
      this.#owe(id, pauseMs)
    }
  }

  #owe(id: Uuid, pauseMs: number): void {
    this.#owed.add(id)
    if (this.#stopping.signal.aborted) return
    this.#retry ??= setTimeout(() => void this.#removeOwed(pauseMs * 2), pauseMs).unref()
  }

  async #removeOwed(pauseMs: number): Promise<void> {
    this.#retry = null
    for (const id of this.#owed) await this.#removeOnceThere(id, Math.min(pauseMs, LONGEST_RETRY_MS))
  }
}

const keyOf = (id: Uuid): string => STAGED + checkedId(id)
