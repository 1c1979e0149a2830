import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'

/** Paths of all files below a folder, relative to it. */
export async function filesIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length))
    .sort()
}

/** Files below a folder that hold any of the needles, texts as UTF-8 or UTF-16. */
export async function filesHolding(folder: string, needles: readonly (string | Buffer)[]): Promise<string[]> {
  const patterns = needles.flatMap((needle) =>
    typeof needle === 'string' ? [Buffer.from(needle), Buffer.from(needle, 'utf16le')] : [needle],
  )
  const holding: string[] = []
  for (const path of await filesIn(folder)) {
    const bytes = await readFile(join(folder, path)).catch(() => Buffer.alloc(0))
    if (patterns.some((pattern) => bytes.includes(pattern))) holding.push(path)
  }
  return holding
}
