import { mkdtempSync, rmSync, statfsSync } from 'node:fs'
import { freemem } from 'node:os'

const MEMORY = '/dev/shm'
/** Tests keep at most a few hundred megabytes at a time. */
const ENOUGH_BYTES = 4 * 2 ** 30

/**
 * Gives this run temporary files in memory, where there is plenty and `TMPDIR` names no other place. Tests sync files
 * thousands of times; on a disk a run takes a tenth longer. What a crash of a process leaves is the same.
 */
export function keepTemporaryFilesInMemory(): void {
  if (process.env['TMPDIR'] || !isPlenty()) return
  const folder = mkdtempSync(`${MEMORY}/medialog-tests-`)
  process.env['TMPDIR'] = folder
  process.on('exit', () => rmSync(folder, { recursive: true, force: true, maxRetries: 3 }))
}

function isPlenty(): boolean {
  try {
    const { bavail, bsize } = statfsSync(MEMORY)
    return bavail * bsize >= ENOUGH_BYTES && freemem() >= ENOUGH_BYTES
  } catch {
    return false
  }
}
