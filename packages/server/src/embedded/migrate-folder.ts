import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { UnusableDataFolder } from './data-folder.ts'
import { copyBefore, keepCopy, takeBack } from './folder-copy.ts'
import {
  FOLDER_FORMAT,
  formatOf,
  readFolderFormat,
  writeFolderFormat,
  type FolderFormat,
} from './folder-format.ts'
import { foldersIn } from './folders.ts'

/** Changes a folder in place; whatever ends it, the folder is taken back to what it was, and it begins anew. */
export type Migration = (folder: string, onProgress: (ratio: number) => void) => Promise<void>

export interface Migrations {
  /** The format to arrive at. */
  current: number
  /** By the format that they start from: each arrives at the next. */
  from: ReadonlyMap<number, Migration>
}

const MIGRATIONS: Migrations = { current: FOLDER_FORMAT, from: new Map() }

/**
 * Sees to it that the folder has the format of this release; it must be locked. An older one is copied first, into itself,
 * and the copy stays until somebody removes it. `say` hears how far it is.
 * @throws UnusableDataFolder for one of a newer release, one that a restore left half-way, and where the copy finds no room
 */
export async function bringUpToDate(
  folder: string,
  say: (what: string) => void,
  { current, from }: Migrations = MIGRATIONS,
): Promise<void> {
  const { found, format } = requireKnownFormat(folder, current)
  if (found?.unfinished === 'migration') {
    say(`the migration from format ${format} was cut short: taking back the copy of before`)
    await takeBack(folder, format, inTenths(say, 'taking back'))
  } else if (format < current) {
    say(`migrating the data folder from format ${format} to ${current}: copying it first`)
    await keepCopy(folder, format, inTenths(say, 'copying'))
  } else {
    if (found === null) await writeFolderFormat(folder, current)
    return
  }
  for (let step = format; step < current; step++)
    await from.get(step)!(folder, inTenths(say, `migrating from format ${step}`))
  await writeFolderFormat(folder, current)
  say(
    `the data folder has format ${current}; what it was is in ${copyBefore(folder, format)}: remove it once all is well`,
  )
}

/** The format of the folder, and its file where there is one. @throws UnusableDataFolder for one that this release cannot bring up to date */
export function requireKnownFormat(
  folder: string,
  current = FOLDER_FORMAT,
): { found: FolderFormat | null; format: number } {
  const found = readFolderFormat(folder)
  if (found?.unfinished === 'restore')
    throw new UnusableDataFolder(folder, 'a restore into it was not finished: restore again.')
  const format = found === null && isNew(folder) ? current : formatOf(found)
  if (format > current)
    throw new UnusableDataFolder(
      folder,
      `release ${found!.release} wrote it, in format ${format}, and this one knows formats up to ${current}: start that release, or a newer one.`,
    )
  return { found, format }
}

/** Nothing that counts was ever in it. */
function isNew(folder: string): boolean {
  const { log, artifacts } = foldersIn(folder)
  return ![log, artifacts, join(folder, 'secrets')].some((path) => existsSync(path))
}

/** Says it at every tenth of the way. */
function inTenths(say: (what: string) => void, what: string): (ratio: number) => void {
  let said = 0
  return (ratio) => {
    const tenths = Math.floor(ratio * 10)
    if (tenths <= said) return
    said = tenths
    say(`${what}: ${tenths * 10} %`)
  }
}
