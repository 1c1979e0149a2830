import { existsSync, readdirSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import type { FormerKey, LogSummary, StoredItem } from '@medialog/application'
import { lockDataFolder, makeFolder } from '@medialog/event-store'
import { explain, type Money } from '@medialog/kernel'
import { FOLDER_FORMAT, readFolderFormat, writeFolderFormat } from '../embedded/folder-format.ts'
import { foldersIn } from '../embedded/folders.ts'
import { isEmpty, OF_ALL, runFolder } from './backup-folder.ts'
import { eraseAgain } from './erase-again.ts'
import { isErased, type ErasureList } from './erasure-list.ts'
import { Damaged, MaintenanceRefused, UnusableBackup } from './errors.ts'
import { copyHashed } from './hashed-files.ts'
import { readManifest, type Manifest } from './manifest.ts'
import { progressInParts, type OnProgress } from './progress.ts'
import { summaryOf, withLog } from './read-log.ts'
import { restoreArtifacts } from './restore-artifacts.ts'
import { treeFaults } from './tree-faults.ts'

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
  source: string,
  dataFolder: string,
  erasures: ErasureList,
  onProgress: OnProgress,
  former: FormerKey | null = null,
): Promise<RestoreReport> {
  const started = performance.now()
  const manifest = restorable(source)
  requireEmpty(dataFolder)
  makeFolder(dataFolder)
  using _lock = lockDataFolder(dataFolder)
  await emptied(dataFolder)
  await writeFolderFormat(dataFolder, manifest.data_format, 'restore')
  try {
    const part = progressInParts(onProgress)
    const wrong = await copyFiles(source, manifest, dataFolder, part(0.2))
    const { root, ...proven } = await proveLog(source, manifest, dataFolder, wrong, former, part(0.3))
    const { kept, doomed } = sortedOut(proven.summary, erasures)
    const damage = await restoreArtifacts(source, dataFolder, kept, part(0.4))
    if (damage.length > 0) throw new Damaged(`The backup ${source}`, damage)
    const closed = [...proven.summary.items.openAccounts.intersection(erasures.closedAccounts)]
    part(0.1)({ ratio: 0, message: `erasing ${doomed.length} items and ${closed.length} accounts again` })
    await eraseAgain(dataFolder, doomed, closed)
    await writeFolderFormat(dataFolder, manifest.data_format)
    const { events, accounts, balance } = proven.summary
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

/** @throws MaintenanceRefused */
function restorable(source: string): Manifest {
  const manifest = readManifest(source)
  if (manifest === null) throw new UnusableBackup(source, 'there is no manifest.json in it')
  if (manifest.data_format <= FOLDER_FORMAT) return manifest
  throw new UnusableBackup(
    source,
    `it is of a data folder of release ${manifest.release}, and this one is older`,
  )
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

/** Answers which are not what the manifest says. */
async function copyFiles(
  source: string,
  manifest: Manifest,
  dataFolder: string,
  onProgress: OnProgress,
): Promise<string[]> {
  const wrong: string[] = []
  for (const [name, { sha256, size }] of Object.entries(manifest.files)) {
    onProgress({ ratio: 0, message: `copying ${name}` })
    const from = join(runFolder(source, manifest.run), name)
    try {
      const read = await copyHashed(from, join(dataFolder, name))
      if (read.sha256 !== sha256) wrong.push(`${name} has other bytes than it was written with`)
      else if (read.size !== size) wrong.push(`${name} has another size`)
    } catch (error) {
      if (!isMissing(error)) throw error
      wrong.push(`${name} is missing`)
    }
  }
  return wrong
}

const isMissing = (error: unknown): boolean => (error as NodeJS.ErrnoException).code === 'ENOENT'

/** Every event, and what was signed over all of them. `wrong`: what is known to be damaged by now. @throws Damaged */
async function proveLog(
  source: string,
  manifest: Manifest,
  dataFolder: string,
  wrong: readonly string[],
  former: FormerKey | null,
  onProgress: OnProgress,
): Promise<{ summary: LogSummary; root: string }> {
  const damaged = (more: readonly string[]) => new Damaged(`The backup ${source}`, [...wrong, ...more])
  const { log } = foldersIn(dataFolder)
  if (!existsSync(log)) throw damaged([])
  let summary: LogSummary
  try {
    summary = await withLog(log, (reader) => summaryOf(reader, onProgress))
  } catch (error) {
    throw damaged([explain(error)])
  }
  const { root, faults } = await treeFaults(dataFolder, manifest, former)
  const more = [...faults, ...differences(summary, manifest)]
  if (wrong.length > 0 || more.length > 0) throw damaged(more)
  return { summary, root }
}

function differences(summary: LogSummary, manifest: Manifest): string[] {
  const { events, accounts, items, balance } = summary
  const found = { events, accounts, items: items.alive, balance: String(balance) }
  return (['events', 'accounts', 'items', 'balance'] as const)
    .filter((name) => String(found[name]) !== String(manifest[name]))
    .map((name) => `the log comes to ${name} ${found[name]}, the manifest says ${manifest[name]}`)
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
