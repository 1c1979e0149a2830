import { existsSync, readFileSync, realpathSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { DataFolderInUse } from '../errors.ts'
import { makeFolder } from './make-folder.ts'
import { SQLITE_BUSY, sqliteCode } from './sqlite-error.ts'

export interface DataFolderLock extends Disposable {
  release(): void
}

/**
 * Takes the whole folder for this process, making it where it is not there. The lock is the operating system's, on the
 * empty SQLite file `medialog.lock`, so it dies with the process and never goes stale. Two ways to lose it, both in our
 * own hands: calling `release`, or opening and closing that very file in this process (POSIX drops a process's locks
 * when any descriptor of the file is closed): copy a folder without its `*.lock`.
 * @throws DataFolderInUse
 */
export function lockDataFolder(folder: string): DataFolderLock {
  makeFolder(folder)
  return holdExclusively(lockFileOf(folder))
}

/**
 * Keeps others from the folder while it is looked at, without a trace of that. Null where it was never locked: nothing
 * keeps others from it then.
 * @throws DataFolderInUse
 */
export function lockToLook(folder: string): Disposable | null {
  if (!existsSync(lockFileOf(folder))) return null
  const database = openExclusively(lockFileOf(folder))
  return { [Symbol.dispose]: () => database.close() }
}

const lockFileOf = (folder: string): string => join(realpathSync(folder), 'medialog.lock')

/** Keeps what is held reachable: a connection that is collected as garbage closes, and lets go without a word. */
const held = new Set<DatabaseSync>()

/** The same for one file that can have one owner. */
export function holdExclusively(lockFile: string): DataFolderLock {
  const database = openExclusively(lockFile)
  writeFileSync(ownerFileOf(lockFile), `${process.pid}\n`)
  held.add(database)
  const release = () => {
    if (held.delete(database)) database.close()
  }
  return { release, [Symbol.dispose]: release }
}

/** @throws DataFolderInUse */
function openExclusively(lockFile: string): DatabaseSync {
  const database = new DatabaseSync(lockFile, { timeout: 0 })
  try {
    database.exec('PRAGMA journal_mode = OFF; BEGIN EXCLUSIVE')
    return database
  } catch (error) {
    database.close()
    if (sqliteCode(error) === SQLITE_BUSY)
      throw new DataFolderInUse(dirname(lockFile), pidIn(ownerFileOf(lockFile)))
    throw error
  }
}

/** Beside the lock, not in it: a refused process must not have to open the lock to name its owner. */
const ownerFileOf = (lockFile: string): string => `${lockFile}.owner`

function pidIn(ownerFile: string): number | null {
  try {
    return Number.parseInt(readFileSync(ownerFile, 'utf8'), 10) || null
  } catch {
    return null
  }
}
