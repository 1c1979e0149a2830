import { SYSTEM, type Ports } from '@medialog/application'
import { MediaNotFound, type DeletionCause } from '@medialog/domain'
import type { Uuid } from '@medialog/kernel'

/** Deletes the item where it still shows that ingest; what was deleted or replaced meanwhile stays. True where it did. */
export async function deleteIngest(
  { streams, clock }: Pick<Ports, 'streams' | 'clock'>,
  accountId: Uuid,
  mediaId: Uuid,
  ingestId: Uuid,
  cause: DeletionCause = 'requested',
): Promise<boolean> {
  const command = { type: 'DeleteMedia', cause, reason: null, ingestId, at: clock.now() } as const
  try {
    await streams.execute('media', mediaId, command, { ...SYSTEM, accountId })
    return true
  } catch (error) {
    if (error instanceof MediaNotFound) return false
    throw error
  }
}
