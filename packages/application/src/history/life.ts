import { decodeRecorded, isKnownEvent } from '@medialog/contract'
import type { LogPosition, Uuid } from '@medialog/kernel'
import type { Ports } from '../core/ports.ts'
import { streamName } from '../event-sourcing/streams.ts'
import type { CatalogItem } from '../ports/index.ts'

/** `absent`: it was never recorded, since its ingests were given up or are not through. */
export type ItemState = 'stored' | 'deleted' | 'absent'

export interface Life {
  state: ItemState
  /** As it is now, where it is there. */
  item: CatalogItem | null
  /** Where its last deletion is in the log: what came before it is erased, or about to be. */
  deletedAt: LogPosition | null
  /** Whether that is done. */
  erased: boolean
}

/** What is known of an item by its own stream and the catalog. */
export async function lifeOf(
  { eventStore, catalog }: Pick<Ports, 'eventStore' | 'catalog'>,
  accountId: Uuid,
  mediaId: Uuid,
): Promise<Life> {
  const item = await catalog.item(accountId, mediaId)
  const life: Life = { state: item ? 'stored' : 'absent', item, deletedAt: null, erased: false }
  for await (const recorded of eventStore.read(streamName('media', mediaId), { direction: 'backwards' })) {
    // The first that a stream still has is the deletion, once what came before it is erased.
    life.erased = false
    if (!isKnownEvent(recorded)) continue
    const { type } = decodeRecorded(recorded)
    if (life.state === 'absent' && type !== 'IngestClaimed' && type !== 'IngestReleased')
      life.state = 'deleted'
    if (type !== 'MediaDeleted' || life.deletedAt !== null) continue
    life.deletedAt = recorded.position
    life.erased = true
  }
  return life
}
