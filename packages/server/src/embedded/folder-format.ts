import { existsSync, readFileSync } from 'node:fs'
import { rename } from 'node:fs/promises'
import { join } from 'node:path'
import { syncFolder, writeDurably } from '@medialog/artifacts/fs/files'
import { z } from 'zod'
import { UnusableDataFolder } from './data-folder.ts'
import { RELEASE } from '../release.ts'

/** What a data folder of this release looks like. A release that changes it brings a migration from the one before. */
export const FOLDER_FORMAT = 1

const FolderFormat = z.object({
  format: z.int().min(1),
  /** The release that wrote this, and its commit where that is known. */
  release: z.string(),
  commit: z.string().nullish(),
  /** What was begun and not ended: the rest of the folder is not whole. */
  unfinished: z.enum(['restore', 'migration']).optional(),
})

export type FolderFormat = z.output<typeof FolderFormat>

/** That of a folder in which something is stored; before there were formats it was the first. */
export const formatOf = (found: FolderFormat | null): number => found?.format ?? 1

export const FORMAT_FILE = 'format.json'

/** Null where no release wrote one: a folder that is new, or of a release from before there was one. @throws UnusableDataFolder */
export function readFolderFormat(folder: string): FolderFormat | null {
  const path = join(folder, FORMAT_FILE)
  if (!existsSync(path)) return null
  try {
    return FolderFormat.parse(JSON.parse(readFileSync(path, 'utf8')))
  } catch (error) {
    const why = `${path} does not say which format it has: restore the folder from a backup.`
    throw new UnusableDataFolder(folder, why, { cause: error })
  }
}

export async function writeFolderFormat(
  folder: string,
  format: number,
  unfinished?: FolderFormat['unfinished'],
): Promise<void> {
  const said: FolderFormat = {
    format,
    release: RELEASE.version,
    commit: RELEASE.commit,
    ...(unfinished && { unfinished }),
  }
  const part = join(folder, `${FORMAT_FILE}.${process.pid}`)
  await writeDurably(part, (file) => file.writeFile(`${JSON.stringify(said)}\n`))
  await rename(part, join(folder, FORMAT_FILE))
  await syncFolder(folder)
}
