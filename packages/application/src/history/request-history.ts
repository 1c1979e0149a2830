import { requestId as requestIds, type Money, type Uuid } from '@medialog/kernel'
import type { RequestContext } from '../core/context.ts'
import { RequestNotFound } from '../core/errors.ts'
import type { CatalogItem } from '../ports/index.ts'
import { Charges } from './charges.ts'
import { entryOf, type HistoryEntry } from './entry.ts'
import type { HistoryPorts } from './item-history.ts'
import { inParts, readEvents, type ReadEvent } from './read-events.ts'

/** Few requests cause more: one that deletes the most items that one may has a tenth of it. */
const PAGE = 1_000

export interface RequestHistory {
  requestId: Uuid
  /** All of them, oldest first. */
  entries: HistoryEntry[]
  /** Those that are there now with what they are, in the order in which they were first named. */
  items: { mediaId: Uuid; item: CatalogItem | null }[]
  charged: Money
  refunded: Money
}

/**
 * Everything that one request of the account caused, background work included, as far as the log still has it.
 * @throws RequestNotFound where it has nothing
 */
export async function requestHistory(
  ports: HistoryPorts,
  { principal: { accountId } }: RequestContext,
  id: string,
): Promise<RequestHistory> {
  const requestId = requestIds.parse(id)
  if (requestId === null) throw new RequestNotFound(id)
  const events = await eventsOf(ports, accountId, requestId)
  if (events.length === 0) throw new RequestNotFound(id)
  const charges = new Charges(ports, accountId)
  const explained = await inParts(events, ({ recorded, event }) =>
    charges.explain(event, entryOf(recorded, event)),
  )
  const mediaIds = [...new Set(explained.flatMap((entry) => entry.mediaIds))]
  const stored = new Map(
    (await ports.catalog.items(accountId, mediaIds)).map((item) => [item.mediaId, item] as const),
  )
  const entries = explained.map(({ filename, ...entry }) => {
    const isNamed = filename !== undefined && entry.mediaIds.every((mediaId) => stored.has(mediaId))
    return { ...entry, ...(isNamed && { filename }) }
  })
  const amounts = (kind: 'charge' | 'refund'): Money =>
    entries.reduce((sum, { posting }) => (posting?.kind === kind ? sum + posting.amount : sum), 0n)
  return {
    requestId,
    entries,
    items: mediaIds.map((mediaId) => ({ mediaId, item: stored.get(mediaId) ?? null })),
    charged: -amounts('charge'),
    refunded: amounts('refund'),
  }
}

async function eventsOf(
  { history, eventStore }: HistoryPorts,
  accountId: Uuid,
  requestId: Uuid,
): Promise<ReadEvent[]> {
  const events: ReadEvent[] = []
  for (let offset = 0; ; offset += PAGE) {
    const { positions } = await history.ofRequest(accountId, requestId, { offset, limit: PAGE })
    events.push(...(await readEvents(eventStore, positions)))
    if (positions.length < PAGE) return events
  }
}
