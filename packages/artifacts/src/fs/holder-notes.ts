import { readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { UUID_PATTERN } from '@medialog/kernel'
import type { HolderNotes } from '../holders.ts'
import { diskOf, hasCode, makeFolder } from './files.ts'

const gone = (error: unknown): null => {
  if (hasCode(error, 'ENOENT')) return null
  throw error
}

/** Notes as files of one folder, which is made. */
export async function openFsHolderNotes(folder: string): Promise<HolderNotes> {
  await diskOf('staging', () => makeFolder(folder))
  const pathOf = (holder: string): string => join(folder, holder)
  return {
    write: (holder, text) =>
      diskOf('staging', async () => {
        const part = `${pathOf(holder)}.part`
        await writeFile(part, text, { mode: 0o600 })
        await rename(part, pathOf(holder))
      }),
    list: () =>
      diskOf('staging', async () => {
        const holders = (await readdir(folder)).filter((name) => UUID_PATTERN.test(name))
        const found = await Promise.all(
          holders.map(async (holder) => {
            const file = await stat(pathOf(holder)).catch(gone)
            return file && { holder, writtenAt: file.mtimeMs }
          }),
        )
        return found.filter((note) => note !== null)
      }),
    read: (holder) => diskOf('staging', () => readFile(pathOf(holder), 'utf8').catch(gone)),
    remove: (holder) =>
      diskOf('staging', async () => {
        for (const path of [pathOf(holder), `${pathOf(holder)}.part`]) await rm(path, { force: true })
      }),
  }
}
