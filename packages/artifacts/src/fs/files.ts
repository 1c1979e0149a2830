import { mkdir, open, rm, type FileHandle } from 'node:fs/promises'
import { EngineUnavailable } from '@medialog/application/ports'

/** Only the service's own user reads what people uploaded. */
const FILE_MODE = 0o600
const FOLDER_MODE = 0o700

export const makeFolder = (path: string) => mkdir(path, { recursive: true, mode: FOLDER_MODE })

/** A new file, on disk once this resolves; no file where `write` throws. */
export async function writeDurably<T>(path: string, write: (file: FileHandle) => Promise<T>): Promise<T> {
  const file = await open(path, 'wx', FILE_MODE)
  try {
    const result = await write(file)
    await file.sync()
    await file.close()
    return result
  } catch (error) {
    await file.close().catch(() => {})
    await rm(path, { force: true })
    throw error
  }
}

/** Makes the names in a folder (created, renamed, removed) as durable as the files they name. */
export async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r')
  try {
    await folder.sync()
  } finally {
    await folder.close()
  }
}

export const hasCode = (error: unknown, ...codes: string[]): boolean =>
  error instanceof Error && 'code' in error && codes.includes(String(error.code))

/** Whether the operating system refused it. That something is not there is an answer, and no trouble. */
const isTrouble = (error: unknown): error is Error =>
  error instanceof Error && 'syscall' in error && !hasCode(error, 'ENOENT')

/** The disk's troubles under the port's name; everything else as it came. */
export async function diskOf<T>(engine: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!isTrouble(error)) throw error
    throw new EngineUnavailable(engine, `${engine}: ${error.message}`, { cause: error })
  }
}

/** Does the work for each item; a failure stops none of the others. @throws the first error, at the end */
export async function forEach<T>(items: Iterable<T>, work: (item: T) => Promise<unknown>): Promise<void> {
  const failures: unknown[] = []
  for (const item of items)
    try {
      await work(item)
    } catch (error) {
      failures.push(error)
    }
  if (failures.length > 0) throw failures[0]
}
