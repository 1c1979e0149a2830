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

/** The disk's troubles under the port's name; everything else as it came. */
export async function diskOf<T>(engine: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!hasCode(error, 'ENOSPC', 'EDQUOT', 'EFBIG', 'EIO', 'EROFS', 'EMFILE', 'ENFILE')) throw error
    throw new EngineUnavailable(engine, `${engine}: ${(error as Error).message}`, { cause: error })
  }
}
