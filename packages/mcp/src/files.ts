import type { Stats } from 'node:fs'
import { open, realpath, stat, type FileHandle } from 'node:fs/promises'
import { basename, isAbsolute, relative, resolve, sep } from 'node:path'
import { MedialogError } from '@medialog/client'

/**
 * A file of this machine that is in one of the folders, wherever links in its path lead. What is read is what was looked
 * at: a path that leads elsewhere a moment later changes nothing. `name`: its own unless given.
 * @throws MedialogError PATH_NOT_ALLOWED, UNREADABLE_FILE
 */
export async function fileBelow(folders: readonly string[], path: string, name = basename(path)) {
  const roots = await Promise.all(folders.map((folder) => realpath(folder).catch(() => null)))
  const place = await realpath(path).catch((error: unknown) => error as NodeJS.ErrnoException)
  // Outside the folders the answer is the same whether the file exists or not.
  if (typeof place !== 'string' && roots.length > 0 && isWithin(roots, resolve(path)))
    throw unreadable(path, place)
  if (typeof place !== 'string' || !isWithin(roots, place)) throw notAllowed(path, folders)
  let file: FileHandle
  try {
    // Opening a pipe would wait for a writer.
    requireFile(path, await stat(place))
    file = await open(place)
  } catch (error) {
    throw error instanceof MedialogError ? error : unreadable(path, error as NodeJS.ErrnoException)
  }
  try {
    const opened = await file.stat()
    const now = await stat(place)
    if (opened.ino !== now.ino || opened.dev !== now.dev || (await realpath(place)) !== place)
      throw notAllowed(path, folders)
    requireFile(path, opened)
    return { name, content: file.createReadStream(), size: opened.size }
  } catch (error) {
    await file.close()
    throw error
  }
}

function requireFile(path: string, found: Stats): void {
  if (found.isFile()) return
  throw new MedialogError(
    'UNREADABLE_FILE',
    found.isDirectory()
      ? `${path} is a folder: name the files in it one by one.`
      : `${path} is not a regular file.`,
  )
}

const isWithin = (roots: readonly (string | null)[], path: string): boolean =>
  roots.some((root) => {
    if (root === null) return false
    const way = relative(root, path)
    return way !== '' && way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way)
  })

const notAllowed = (path: string, folders: readonly string[]): MedialogError =>
  new MedialogError(
    'PATH_NOT_ALLOWED',
    folders.length === 0
      ? `${path} may not be read: no folder is named. Start medialog mcp with --allow DIR, or name roots in your program.`
      : `${path} may not be read: it is in none of the folders ${folders.join(', ')}.`,
  )

const unreadable = (path: string, { code }: NodeJS.ErrnoException): MedialogError =>
  new MedialogError(
    'UNREADABLE_FILE',
    `${path} cannot be read: ${code === 'ENOENT' ? 'there is no such file' : (code ?? 'it failed')}.`,
  )
