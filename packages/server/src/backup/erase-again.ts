import { createBackground, createStreams, TreeFollower, type StoredItem } from '@medialog/application'
import { openSqliteEventStore, openSqliteLeaves } from '@medialog/event-store'
import { systemClock, type Uuid } from '@medialog/kernel'
import { foldersIn } from '../embedded/folders.ts'
import { closeAccount, deleteItem, type Deleted } from './delete-again.ts'

/**
 * Deletes items of a data folder that no service has open, and takes their past out of its log; closes accounts, of which the
 * service then erases the rest, as with any that is closed.
 */
export async function eraseAgain(
  dataFolder: string,
  items: readonly StoredItem[],
  closedAccounts: readonly Uuid[] = [],
): Promise<void> {
  if (items.length === 0 && closedAccounts.length === 0) return
  const { log, leaves: leavesFile } = foldersIn(dataFolder)
  const eventStore = await openSqliteEventStore({ path: log })
  const leaves = openSqliteLeaves(leavesFile)
  const background = createBackground(() => undefined)
  const follower = new TreeFollower({ eventStore, leaves, background }, () => undefined)
  try {
    const streams = createStreams(eventStore, systemClock)
    const deleted: Deleted[] = []
    for (const item of items) deleted.push(await deleteItem(streams, item))
    // What was never counted as an event could not be told from one that somebody took out.
    if (deleted.length > 0) await follower.holds(deleted.at(-1)!.position)
    for (const { mediaId, revision, isClaimed } of deleted)
      // An ingest that was under way is ended by the service's start, and its past goes after that.
      if (!isClaimed) await streams.truncate('media', mediaId, revision)
    for (const accountId of closedAccounts) await closeAccount(streams, accountId)
  } finally {
    await follower.close()
    await leaves.close()
    await eventStore.close()
  }
}
