import { createHash } from 'node:crypto'
import { lstatSync } from 'node:fs'
import { mkdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { DataFolderInUse, lockDataFolder, type DataFolderLock } from '@medialog/event-store'
import { MaintenanceRefused } from './errors.ts'

/**
 * A folder of this process for what must not lie unencrypted among backups: on the machine of the data folder, where
 * temporary files go (`TMPDIR`). What a process that was killed left in it goes with the next one that works on the same
 * folder of backups. @throws MaintenanceRefused where another process has it
 */
export async function openWorkFolder(
  work: 'backup' | 'verify',
  backups: string,
): Promise<AsyncDisposable & { path: string }> {
  const user = process.getuid?.() ?? 0
  const name = createHash('sha256').update(resolve(backups)).digest('hex').slice(0, 16)
  const folder = join(tmpdir(), `medialog-${work}-${user}-${name}`)
  await mkdir(folder, { recursive: true, mode: 0o700 })
  // Others may write where temporary files go, and name what is theirs like that.
  const found = lstatSync(folder)
  if (!found.isDirectory() || found.uid !== user)
    throw new MaintenanceRefused(`${folder} belongs to another user: name another folder in TMPDIR.`)
  const lock = held(folder)
  const path = join(folder, 'files')
  await rm(path, { recursive: true, force: true })
  await mkdir(path, { mode: 0o700 })
  return {
    path,
    async [Symbol.asyncDispose]() {
      await rm(folder, { recursive: true, force: true })
      lock.release()
    },
  }
}

function held(folder: string): DataFolderLock {
  try {
    return lockDataFolder(folder)
  } catch (error) {
    if (!(error instanceof DataFolderInUse)) throw error
    throw new MaintenanceRefused(`Another process works in ${folder} (process ${error.pid}).`)
  }
}
