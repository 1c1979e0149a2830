import { finishedRuns } from './backup-folder.ts'
import { requireHeading } from './manifest.ts'

export interface ListedBackup {
  /** What `--backup` takes. */
  run: string
  made_at: string
  release: string
  /** Public keys; empty for a passphrase, null where it is not encrypted. */
  encrypted_to: string[] | null
}

/** The backups that a folder holds, the last one first. @throws UnusableBackup where it holds none */
export async function listBackups(folder: string): Promise<ListedBackup[]> {
  const last = requireHeading(folder)
  const older = (await finishedRuns(folder)).filter((run) => run !== last.run)
  return [last, ...older.map((run) => requireHeading(folder, run))].map((heading) => ({
    run: heading.run,
    made_at: heading.made_at,
    release: heading.release,
    encrypted_to: 'encrypted_to' in heading ? heading.encrypted_to : null,
  }))
}
