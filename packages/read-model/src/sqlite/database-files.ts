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
 * says which. Swapping is replacing that small file by rename: whoever looks sees the old or the new.
 */
export interface DatabaseFiles {
  /** Path of the small file; a new inode each time it changes. */
  readonly pointer: string
  path(epoch: number): string
  /** The epoch in service, null where there is none. */
  current(): number | null
  /** Larger than any epoch whose files are there. */
  nextEpoch(): number
  /** Durable when it returns. */
  setCurrent(epoch: number): void
  remove(epoch: number): void
  /** Removes what a crash left: every database but the one in service. */
  sweep(): void
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

  const files: DatabaseFiles = {
    pointer,
    path,

    current() {
      if (!existsSync(pointer)) return null
      const text = readFileSync(pointer, 'utf8').trim()
      return /^\d+$/.test(text) ? Number(text) : null
    },

    nextEpoch: () => Math.max(0, files.current() ?? 0, ...epochs()) + 1,

    setCurrent(epoch) {
      const next = `${pointer}.next`
      const file = openSync(next, 'w')
      writeSync(file, `${epoch}\n`)
      fsyncSync(file)
      closeSync(file)
      renameSync(next, pointer)
      const directory = openSync(folder, 'r')
      fsyncSync(directory)
      closeSync(directory)
    },

    remove(epoch) {
      for (const suffix of ['', '-wal', '-shm', '-journal']) rmSync(path(epoch) + suffix, { force: true })
    },

    sweep() {
      const inService = files.current()
      for (const epoch of epochs()) if (epoch !== inService) files.remove(epoch)
    },
  }
  return files
}
