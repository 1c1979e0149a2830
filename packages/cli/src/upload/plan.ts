import { readdir, realpath, stat } from 'node:fs/promises'
import { basename, join, resolve } from 'node:path'
import { UsageError } from '../client/errors.ts'

export interface PlannedFile {
  path: string
  /** As people named it: relative where the path was. */
  shown: string
  filename: string
  size: number
  /** On the command line itself, not only by a folder above it. */
  named: boolean
}

/**
 * The files that are named, and those below named folders, sorted; each once. Below a folder, hidden names are skipped
 * and links to folders are not followed. @throws UsageError for a path that is not there
 */
export async function planFiles(paths: readonly string[], base: string): Promise<PlannedFile[]> {
  const planned = new Map<string, PlannedFile>()
  for (const shown of paths)
    for await (const file of filesAt(resolve(base, shown), shown)) {
      const real = await realpath(file.path)
      const known = planned.get(real)
      if (!known || (file.named && !known.named)) planned.set(real, file)
    }
  return [...planned.values()]
}

async function* filesAt(path: string, shown: string): AsyncGenerator<PlannedFile> {
  const found = await stat(path).catch(() => null)
  if (!found) throw new UsageError(`There is no file or folder ${shown}.`, 'Nothing was uploaded.')
  if (found.isDirectory()) yield* filesBelow(path, shown)
  else if (found.isFile()) yield { path, shown, filename: basename(path), size: found.size, named: true }
  else throw new UsageError(`${shown} is neither a file nor a folder.`, 'Nothing was uploaded.')
}

async function* filesBelow(folder: string, shown: string): AsyncGenerator<PlannedFile> {
  const entries = await readdir(folder, { withFileTypes: true })
  entries.sort((a, b) => (a.name < b.name ? -1 : 1))
  for (const entry of entries) {
    if (entry.name.startsWith('.')) continue
    const path = join(folder, entry.name)
    const shownPath = join(shown, entry.name)
    if (entry.isDirectory()) yield* filesBelow(path, shownPath)
    else {
      const found = await stat(path).catch(() => null)
      if (found?.isFile())
        yield { path, shown: shownPath, filename: entry.name, size: found.size, named: false }
    }
  }
}

/** Where the user was: npm runs scripts in the project's folder. */
export const startedIn = ({ npm_lifecycle_event: script, INIT_CWD: folder }: NodeJS.ProcessEnv): string =>
  (script === 'medialog' && folder) || process.cwd()
