import { randomUUID } from 'node:crypto'
import { readdir, readFile, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { KeptAnswerRef, KeptAnswers } from '@medialog/application/ports'
import { checkedId } from '../names.ts'
import { diskOf, forEach, hasCode, makeFolder, syncFolder, writeDurably } from './files.ts'

const ENGINE = 'kept answers'
const HOUR_MS = 3_600_000
const HOUR = /^\d{1,12}$/

/** Kept answers as files `<hours since the epoch>/<request>` under `root`: what is too old goes a folder at a time. */
export async function openFsKeptAnswers(root: string): Promise<KeptAnswers> {
  await diskOf(ENGINE, () => makeFolder(root))
  const folderOf = ({ at }: KeptAnswerRef): string => join(root, String(Math.floor(at / HOUR_MS)))
  const fileOf = (answer: KeptAnswerRef): string => join(folderOf(answer), nameOf(answer))
  return {
    put: (answer, sealed) =>
      diskOf(ENGINE, async () => {
        const folder = folderOf(answer)
        const final = fileOf(answer)
        const temporary = join(folder, randomUUID())
        await makeFolder(folder)
        await writeDurably(temporary, (file) => file.writeFile(sealed))
        await rename(temporary, final)
        for (const changed of [folder, root]) await syncFolder(changed)
      }),
    get: (answer) =>
      diskOf(ENGINE, async () => {
        try {
          return await readFile(fileOf(answer))
        } catch (error) {
          if (hasCode(error, 'ENOENT')) return null
          throw error
        }
      }),
    remove: (answer) =>
      diskOf(ENGINE, async () => {
        const file = fileOf(answer)
        try {
          await rm(file)
          await syncFolder(folderOf(answer))
        } catch (error) {
          if (!hasCode(error, 'ENOENT')) throw error
        }
      }),
    sweep: (before) =>
      diskOf(ENGINE, async () => {
        const past = (await readdir(root)).filter(
          (hour) => HOUR.test(hour) && (Number(hour) + 1) * HOUR_MS <= before,
        )
        await forEach(past, (hour) => rm(join(root, hour), { recursive: true, force: true }))
        await syncFolder(root)
      }),
  }
}

const nameOf = ({ requestId }: KeptAnswerRef): string => `${checkedId(requestId)}.sealed`
