import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'

/**
 * The files of one read model in a folder: `<name>-<epoch>.sqlite`, one of them in service, and `<name>.current`, which
 * says which. Swapping is replacing that small file by rename: a reader sees the old or the new.
 */
export interface DatabaseFiles {
  /** Path of the small file; a new inode each time it changes. */
  readonly pointer: string
  path(epoch: number): string
  /** The epoch in service, or null. */
  current(): number | null
  /** Whether none is in service although there was one: it was retired. */
  isRetired(): boolean
  /** Larger than any epoch whose files are there. */
  nextEpoch(): number
  /** Durable when it returns. */
  setCurrent(epoch: number): void
  /** Takes the one in service out of it, durably: readers find none until the next one is. */
  retire(): void
  remove(epoch: number): void
  /** Removes what a crash left: every database but the one in service. */
  sweep(): void
  removeAll(): void
}

export function databaseFiles(folder: string, name: string): DatabaseFiles {
  mkdirSync(folder, { recursive: true })
  const pointer = join(folder, `${name}.current`)
  const pattern = new RegExp(`^${name}-(\\d+)\\.sqlite`)
  const path = (epoch: number): string => join(folder, `${name}-${epoch}.sqlite`)

  function epochs(): Set<number> {
    const found = readdirSync(folder).map((file) => pattern.exec(file)?.[1])
    return new Set(found.filter((digits) => digits !== undefined).map(Number))
  }

  function point(text: string): void {
    const next = `${pointer}.next`
    const file = openSync(next, 'w')
    writeSync(file, `${text}\n`)
    fsyncSync(file)
    closeSync(file)
    renameSync(next, pointer)
    const directory = openSync(folder, 'r')
    fsyncSync(directory)
    closeSync(directory)
  }

  const pointed = (): string => (existsSync(pointer) ? readFileSync(pointer, 'utf8').trim() : '')

  const files: DatabaseFiles = {
    pointer,
    path,
    isRetired: () => existsSync(pointer) && files.current() === null,
    setCurrent: (epoch) => point(String(epoch)),
    // The number stays: no later one may be taken for it.
    retire: () => point(`${Number.parseInt(pointed(), 10) || 0} retired`),

    current: () => (/^\d+$/.test(pointed()) ? Number(pointed()) : null),
    nextEpoch: () => Math.max(Number.parseInt(pointed(), 10) || 0, ...epochs()) + 1,

    remove(epoch) {
      for (const suffix of ['', '-wal', '-shm', '-journal']) rmSync(path(epoch) + suffix, { force: true })
    },

    sweep() {
      const inService = files.current()
      for (const epoch of epochs()) if (epoch !== inService) files.remove(epoch)
    },

    removeAll() {
      for (const epoch of epochs()) files.remove(epoch)
      rmSync(pointer, { force: true })
    },
  }
  return files
}
