import type { Dirent } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'

/** Paths of all files below a folder, relative to it. A running server may erase in it meanwhile. */
export async function filesIn(folder: string): Promise<string[]> {
  return (await filesBelow(folder, await entriesOf(folder))).map((path) => path.slice(folder.length)).sort()
}

// One folder at a time: node's own recursion throws when a folder that it has listed is gone before it is read.
async function filesBelow(folder: string, entries: readonly Dirent[]): Promise<string[]> {
  const paths = await Promise.all(
    entries.map(async (entry) => {
      const path = join(folder, entry.name)
      if (entry.isDirectory()) return filesBelow(path, (await entriesOf(path).catch(ignoreGone)) ?? [])
      return entry.isFile() ? [path] : []
    }),
  )
  return paths.flat()
}

const entriesOf = (folder: string): Promise<Dirent[]> => readdir(folder, { withFileTypes: true })

/** Files below a folder that hold any of the needles, texts as UTF-8 or UTF-16. */
export async function filesHolding(folder: string, needles: readonly (string | Buffer)[]): Promise<string[]> {
  const patterns = needles.flatMap((needle) =>
    typeof needle === 'string' ? [Buffer.from(needle), Buffer.from(needle, 'utf16le')] : [needle],
  )
  const holding: string[] = []
  for (const path of await filesIn(folder)) {
    const bytes = await readFile(join(folder, path)).catch(ignoreGone)
    if (bytes !== undefined && patterns.some((pattern) => bytes.includes(pattern))) holding.push(path)
  }
  return holding
}

function ignoreGone(error: unknown): undefined {
  if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error
}
