import { requestAccountErasure, SYSTEM, type StoredItem, type Streams } from '@medialog/application'
import { systemClock, type LogPosition, type Revision, type Uuid } from '@medialog/kernel'

const REASON = 'deleted after the backup that was restored'

export interface Deleted {
  mediaId: Uuid
  position: LogPosition
  revision: Revision
  /** An ingest of it is under way, which the service ends. */
  isClaimed: boolean
}

/** By an event, in a log that knows nothing of the deletion: whatever follows the log takes the item for dead. */
export async function deleteItem(
  streams: Streams,
  { accountId, mediaId, ingestId, endedAt }: StoredItem,
): Promise<Deleted> {
  const why =
    endedAt === null
      ? ({ cause: 'requested', reason: REASON } as const)
      : ({ cause: 'collection-deleted', reason: null } as const)
  const command = { type: 'DeleteMedia', ...why, ingestId, at: systemClock.now() } as const
  const { position, revision, selected } = await streams.execute(
    'media',
    mediaId,
    command,
    { ...SYSTEM, accountId },
    { select: ({ claim }) => claim !== null },
  )
  return { mediaId, position, revision, isClaimed: selected }
}

/** No key of it works from then on; the service erases the rest, as with any that is closed. */
export async function closeAccount(streams: Streams, accountId: Uuid): Promise<void> {
  const by = { ...SYSTEM, accountId }
  await requestAccountErasure({ streams, clock: systemClock }, by, accountId)
  await streams.execute('account', accountId, { type: 'CloseAccount' }, by)
}
