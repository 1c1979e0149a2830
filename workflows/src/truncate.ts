import type { LogTree, Streams } from '@medialog/application'
import type { Category } from '@medialog/domain'
import type { LogPosition, Revision, Uuid } from '@medialog/kernel'

/** Waits for the leaves first: an event without one could not be distinguished from one that was stolen. */
export async function truncate(
  { streams, logTree }: { streams: Pick<Streams, 'truncate'>; logTree: Pick<LogTree, 'holds'> },
  category: Category,
  id: Uuid,
  { revision, position }: { revision: Revision; position: LogPosition },
): Promise<void> {
  await logTree.holds(position)
  await streams.truncate(category, id, revision)
}
