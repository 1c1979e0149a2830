import { constants, existsSync } from 'node:fs'
import { copyFile, open, opendir, rename, rm, stat, statfs } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { makeFolder, syncFolder } from '@medialog/artifacts/fs/files'
import { UnusableDataFolder } from './data-folder.ts'
import { FORMAT_FILE, writeFolderFormat } from './folder-format.ts'

/** How far it is, from 0 to 1. */
type OnProgress = (ratio: number) => void

const COPY = 'before-format-'
/** Made anew from the rest, or the owner's alone for as long as it lives. */
const LEFT_OUT = /^(?:read-models|server\.json|before-format-.*|.*\.lock(?:\.owner)?|.*\.part)$/

export const copyBefore = (folder: string, format: number): string => join(folder, `${COPY}${format}`)

/**
 * Copies all of a data folder that cannot be made again into a folder inside it, whole or not at all. Once it is whole the
 * folder says that its migration has begun. @throws UnusableDataFolder where there is no room, or a copy already
 */
export async function keepCopy(folder: string, format: number, onProgress: OnProgress): Promise<void> {
  const copy = copyBefore(folder, format)
  if (existsSync(copy))
    throw new UnusableDataFolder(
      folder,
      `${copy} is there from an earlier migration: move it away, it takes the place of the next.`,
    )
  const part = `${copy}.part`
  await rm(part, { recursive: true, force: true })
  const files = await filesToKeep(folder)
  const size = files.reduce((sum, file) => sum + file.size, 0)
  const { bavail, bsize } = await statfs(folder)
  if (bavail * bsize < size)
    throw new UnusableDataFolder(
      folder,
      `it is of an older release, and is copied before it is migrated: that takes ${inMebibytes(size)} MiB, and ${inMebibytes(bavail * bsize)} are free. Nothing was changed.`,
    )
  await copyAll(folder, part, files, onProgress)
  // In this order: a death in between leaves no copy that would be taken for one of an earlier migration.
  await writeFolderFormat(folder, format, 'migration')
  await finish(folder, copy)
}

async function finish(folder: string, copy: string): Promise<void> {
  await rename(`${copy}.part`, copy)
  await syncFolder(folder)
}

/** Makes the folder again what it was when it was copied. */
export async function takeBack(folder: string, format: number, onProgress: OnProgress): Promise<void> {
  const copy = copyBefore(folder, format)
  if (!existsSync(copy)) await finish(folder, copy)
  for (const name of await namesIn(folder))
    if (name !== FORMAT_FILE && (name === 'read-models' || !LEFT_OUT.test(name)))
      await rm(join(folder, name), { recursive: true, force: true })
  const files = (await filesToKeep(copy)).filter(({ path }) => path !== FORMAT_FILE)
  await copyAll(copy, folder, files, onProgress)
}

interface KeptFile {
  /** In the folder. */
  path: string
  size: number
}

async function filesToKeep(folder: string, below = ''): Promise<KeptFile[]> {
  const files: KeptFile[] = []
  for await (const entry of await opendir(join(folder, below))) {
    if (LEFT_OUT.test(entry.name)) continue
    const path = join(below, entry.name)
    if (entry.isDirectory()) files.push(...(await filesToKeep(folder, path)))
    else if (entry.isFile()) files.push({ path, size: (await stat(join(folder, path))).size })
  }
  return files
}

async function copyAll(
  from: string,
  to: string,
  files: readonly KeptFile[],
  onProgress: OnProgress,
): Promise<void> {
  const folders = new Set([to])
  for (const [done, { path }] of files.entries()) {
    const target = join(to, path)
    await makeFolder(dirname(target))
    folders.add(dirname(target))
    // Where the file system can, both share their blocks until one of them changes.
    await copyFile(join(from, path), target, constants.COPYFILE_FICLONE)
    await using file = await open(target, 'r+')
    await file.sync()
    onProgress((done + 1) / files.length)
  }
  for (const folder of folders) await syncFolder(folder)
}

const inMebibytes = (bytes: number): number => Math.ceil(bytes / 2 ** 20)

async function namesIn(folder: string): Promise<string[]> {
  const names: string[] = []
  for await (const { name } of await opendir(folder)) names.push(name)
  return names
}
