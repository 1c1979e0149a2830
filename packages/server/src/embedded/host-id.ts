import { randomUUID } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/**
 * What tells the process on a data folder from those on others, for as long as the folder is there: one that was killed
 * and started again need not wait until it is taken for dead. The folder must be locked.
 */
export function openHostId(dataFolder: string): string {
  const path = join(dataFolder, 'host-id')
  const known = existsSync(path) ? readFileSync(path, 'utf8').trim() : ''
  if (known) return known
  const id = randomUUID()
  writeFileSync(path, `${id}\n`, { mode: 0o600 })
  return id
}
