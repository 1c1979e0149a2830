import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { FormerKey, LogSummary } from '@medialog/application'
import { hasCode } from '@medialog/artifacts/fs/files'
import { explain } from '@medialog/kernel'
import { foldersIn } from '../embedded/folders.ts'
import { runFolder } from './backup-folder.ts'
import { PLAIN } from './encryption.ts'
import { Damaged } from './errors.ts'
import { copyHashed } from './hashed-files.ts'
import type { Manifest } from './manifest.ts'
import type { OpenedBackup } from './opened-backup.ts'
import { progressInParts, type OnProgress } from './progress.ts'
import { summaryOf, withLog } from './read-log.ts'
import { treeFaults } from './tree-faults.ts'

/** Answers which are not what the manifest says. */
async function copyFiles(
  { folder: source, manifest, form }: OpenedBackup,
  dataFolder: string,
  onProgress: OnProgress,
): Promise<string[]> {
  const wrong: string[] = []
  for (const [name, { sha256, size }] of Object.entries(manifest.files)) {
    onProgress({ ratio: 0, message: `copying ${name}` })
    const from = join(runFolder(source, manifest.run), form.pathOf(name))
    try {
      const read = await copyHashed(from, join(dataFolder, name), form.cipher)
      if (read.sha256 !== sha256) wrong.push(`${name} has other bytes than it was written with`)
      else if (read.size !== size) wrong.push(`${name} has another size`)
    } catch (error) {
      if (isMissing(error)) wrong.push(`${name} is missing`)
      // What cannot be decrypted is said without a code of the system's.
      else if (form === PLAIN || isOfSystem(error)) throw error
      else wrong.push(`${name} has other bytes than it was written with`)
    }
  }
  return wrong
}

const isMissing = (error: unknown): boolean => hasCode(error, 'ENOENT')
const isOfSystem = (error: unknown): boolean => error instanceof Error && 'syscall' in error

/**
 * Copies everything but the artifacts into a folder, and proves it there: every digest, every event, and what was signed over
 * all of them. @throws Damaged
 */
export async function provenIn(
  backup: OpenedBackup,
  dataFolder: string,
  former: FormerKey | null,
  onProgress: OnProgress,
): Promise<{ summary: LogSummary; root: string }> {
  const { folder: source, manifest } = backup
  const part = progressInParts(onProgress)
  const wrong = await copyFiles(backup, dataFolder, part(0.4))
  const damaged = (more: readonly string[]) => new Damaged(`The backup ${source}`, [...wrong, ...more])
  const { log } = foldersIn(dataFolder)
  if (!existsSync(log)) throw damaged([])
  let summary: LogSummary
  try {
    summary = await withLog(log, (reader) => summaryOf(reader, part(0.6)))
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
