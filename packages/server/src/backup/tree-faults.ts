import { trustedKeys, verifyLog, type FormerKey } from '@medialog/application'
import { examineInThread, openSqliteLeaves, openSqliteLogReader } from '@medialog/event-store'
import { explain, systemClock } from '@medialog/kernel'
import { foldersIn } from '../embedded/folders.ts'
import type { Manifest } from './manifest.ts'

const LISTED = 5

/** Holds the log in a folder against its tree, and that against what the backup's checkpoint was signed over. */
export async function treeFaults(
  dataFolder: string,
  { checkpoint, key }: Pick<Manifest, 'checkpoint' | 'key'>,
  former: FormerKey | null,
): Promise<{ root: string; faults: string[] }> {
  const { log, leaves: leavesFile } = foldersIn(dataFolder)
  const eventStore = openSqliteLogReader({ path: log })
  try {
    const leaves = openSqliteLeaves(leavesFile)
    try {
      const { root, found, findings } = await verifyLog(
        {
          eventStore,
          logVerifier: { examine: () => examineInThread(log, new AbortController().signal) },
          leaves,
          keys: () => trustedKeys(eventStore, key, former),
          clock: systemClock,
        },
        checkpoint,
        () => undefined,
      )
      const listed = findings
        .slice(0, LISTED)
        .map(({ position, reason }) => (position === null ? reason : `position ${position}: ${reason}`))
      return { root, faults: found > LISTED ? [...listed, `${found - LISTED} more findings`] : listed }
    } finally {
      await leaves.close()
    }
  } catch (error) {
    return { root: '', faults: [`the checkpoint or the leaves cannot be proven: ${explain(error)}`] }
  } finally {
    await eventStore.close()
  }
}
