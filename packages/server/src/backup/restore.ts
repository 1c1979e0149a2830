import { existsSync, readdirSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import type { FormerKey, LogSummary, StoredItem } from '@medialog/application'
import { lockDataFolder, makeFolder } from '@medialog/event-store'
import { counted, type Money } from '@medialog/kernel'
import { readFolderFormat, writeFolderFormat } from '../embedded/folder-format.ts'
import { isEmpty, OF_ALL } from './backup-folder.ts'
import { eraseAgain } from './erase-again.ts'
import { isErased, type ErasureList } from './erasure-list.ts'
import { Damaged, MaintenanceRefused } from './errors.ts'
import type { Manifest } from './manifest.ts'
import { openBackup, type BackupPlace } from './opened-backup.ts'
import { progressInParts, type OnProgress } from './progress.ts'
import { provenIn } from './proven-backup.ts'
import { restoreArtifacts } from './restore-artifacts.ts'

export interface RestoreReport {
  manifest: Manifest
  events: number
  accounts: number
  /** Of all accounts. */
  balance: Money
  /** Those that are there. */
  items: number
  /** Those that were in the backup and deleted since. */
  erased: number
  /** Accounts that were open in the backup and were closed since. */
  closed: number
  /** Of the tree over all events, as it was signed. */
  root: string
  seconds: number
}

/**
 * Makes a data folder from a backup: nothing of it is taken unproven, and what `erasures` names never gets into it. Until
 * all is there no service starts on the folder, and the same restore begins it anew.
 * @param former the key that signed before the backup's, where its log does not say so
 * @throws MaintenanceRefused, Damaged: nothing is left in the folder then
 */
export async function restore(
  from: BackupPlace,
  dataFolder: string,
  erasures: ErasureList,
  onProgress: OnProgress,
  former: FormerKey | null = null,
): Promise<RestoreReport> {
  const started = performance.now()
  const backup = await openBackup(from)
  const { manifest } = backup
  requireEmpty(dataFolder)
  makeFolder(dataFolder)
  using _lock = lockDataFolder(dataFolder)
  await emptied(dataFolder)
  await writeFolderFormat(dataFolder, manifest.data_format, 'restore')
  try {
    const part = progressInParts(onProgress)
    const { root, summary } = await provenIn(backup, dataFolder, former, part(0.5))
    const { kept, doomed } = sortedOut(summary, erasures)
    const damage = await restoreArtifacts(backup, dataFolder, kept, part(0.4))
    if (damage.length > 0) throw new Damaged(`The backup ${backup.folder}`, damage)
    const closed = [...summary.items.openAccounts.intersection(erasures.closedAccounts)]
    part(0.1)({
      ratio: 0,
      message: `erasing ${counted(doomed.length, 'item')} and ${counted(closed.length, 'account')} again`,
    })
    await eraseAgain(dataFolder, doomed, closed)
    await writeFolderFormat(dataFolder, manifest.data_format)
    const { events, accounts, balance } = summary
    return {
      manifest,
      events,
      accounts,
      balance,
      items: kept.length,
      erased: doomed.filter(({ endedAt }) => endedAt === null).length,
      closed: closed.length,
      root,
      seconds: (performance.now() - started) / 1_000,
    }
  } catch (error) {
    await emptied(dataFolder)
    throw error
  }
}

function requireEmpty(folder: string): void {
  if (!existsSync(folder) || isEmpty(folder)) return
  if (readFolderFormat(folder)?.unfinished === 'restore') return
  throw new MaintenanceRefused(
    `${resolve(folder)} is not empty: name a folder that is, or none that is there.`,
  )
}

async function emptied(folder: string): Promise<void> {
  // What says that it is not whole goes last.
  const names = readdirSync(folder).sort((a, b) => Number(a === 'format.json') - Number(b === 'format.json'))
  for (const name of names)
    if (!OF_ALL.test(name)) await rm(join(folder, name), { recursive: true, force: true })
}

/** What is to be there, and what is not: deleted since the backup was made, or dead in it already. */
function sortedOut(
  { items }: LogSummary,
  erasures: ErasureList,
): { kept: StoredItem[]; doomed: StoredItem[] } {
  const isDoomed = (item: StoredItem): boolean => item.endedAt !== null || isErased(item, erasures)
  const { kept = [], doomed = [] } = Object.groupBy(items.items(), (item) =>
    isDoomed(item) ? 'doomed' : 'kept',
  )
  return { kept, doomed }
}
