import { isKnownEvent } from '@medialog/contract'
import type { DomainEvent } from '@medialog/domain'
import type { RecordedEvent } from '@medialog/kernel'

/** What takes the past of a stream away: an event of such a type stands first in what is left of it. */
const ERASING = new Set<string>([
  'MediaDeleted',
  'BatchErased',
  'FileNamesErased',
  'LibraryErased',
  'RequestErased',
  'AccountErased',
  'WebhooksErased',
  'ErasureCompleted',
] satisfies DomainEvent['type'][])

/** Whether it says why nothing is left of what stood before it in its stream. */
export const tellsOfErasure = (event: Pick<RecordedEvent, 'type' | 'stream'>): boolean =>
  ERASING.has(event.type) && isKnownEvent(event)
