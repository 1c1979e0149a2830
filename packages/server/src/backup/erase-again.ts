import {
  createBackground,
  createStreams,
  eraseFileNames,
  jobsOfDeleted,
  TreeFollower,
  type EventStore,
  type StoredItem,
  type Streams,
} from '@medialog/application'
import { decodeRecorded, isKnownEvent } from '@medialog/contract'
import { openSqliteEventStore, openSqliteLeaves } from '@medialog/event-store'
import {
  BEGINNING,
  systemClock,
  type Clock,
  type LogPosition,
  type Revision,
  type Uuid,
} from '@medialog/kernel'
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
    for (const left of await eraseNames({ eventStore, streams, clock: systemClock }, deleted)) {
      await follower.holds(left.position)
      await streams.truncate('files', left.batchId, left.revision)
    }
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

/** Takes what deleted items were called in batches out of the names of those. Answers where what is left of these begins. */
async function eraseNames(
  ports: { eventStore: EventStore; streams: Streams; clock: Clock },
  deleted: readonly Deleted[],
): Promise<{ batchId: Uuid; revision: Revision; position: LogPosition }[]> {
  const revisions = new Map(
    deleted.flatMap(({ mediaId, revision, isClaimed }) => (isClaimed ? [] : [[mediaId, revision]])),
  )
  const begun: { batchId: Uuid; revision: Revision; position: LogPosition }[] = []
  if (revisions.size === 0) return begun
  for await (const recorded of ports.eventStore.readAll(BEGINNING)) {
    if (recorded.type !== 'BatchSubmitted' || !isKnownEvent(recorded)) continue
    const event = decodeRecorded(recorded)
    if (event.type !== 'BatchSubmitted') continue
    const { accountId, batchId, jobs } = event
    const mediaIds = new Set(jobs.map(({ mediaId }) => mediaId).filter((mediaId) => revisions.has(mediaId)))
    if (mediaIds.size === 0) continue
    const gone: Uuid[] = []
    for (const mediaId of mediaIds) {
      const found = await jobsOfDeleted(ports.eventStore, { mediaId, revision: revisions.get(mediaId)! }, [
        batchId,
      ])
      gone.push(...found.values().toArray().flat())
    }
    if (gone.length === 0) continue
    const left = await eraseFileNames(ports, accountId, batchId, gone)
    if (left) begun.push({ batchId, revision: left.revision, position: left.position })
  }
  return begun
}
