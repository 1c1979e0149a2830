import { parseMediaId, type Uuid } from '@medialog/kernel'
import type { RequestContext } from '../core/context.ts'
import { MediaItemNotFound } from '../core/errors.ts'
import type { Ports } from '../core/ports.ts'
import { Charges } from './charges.ts'
import { entryOf, type HistoryEntry, type Understood } from './entry.ts'
import { lifeOf, type Life } from './life.ts'
import { inParts, readEvents, type ReadEvent } from './read-events.ts'

export type HistoryPorts = Pick<Ports, 'history' | 'eventStore' | 'catalog'>

export interface ItemHistory extends Life {
  mediaId: Uuid
  /** A page of what happened, oldest first. */
  entries: HistoryEntry[]
  total: number
}

/**
 * What happened to an item, all its lives: uploads and what they cost, moves, answers that spoke of it, deletions.
 * @throws MediaItemNotFound where nothing ever did
 */
export async function itemHistory(
  ports: HistoryPorts,
  { principal: { accountId } }: RequestContext,
  { id, page, pageSize }: { id: string; page: number; pageSize: number },
): Promise<ItemHistory> {
  const reference = parseMediaId(id)
  if (!reference) throw new MediaItemNotFound(id)
  const { id: mediaId, claimedType } = reference
  const window = { offset: (page - 1) * pageSize, limit: pageSize }
  const { positions, total } = await ports.history.ofItem(accountId, mediaId, window)
  if (total === 0) throw new MediaItemNotFound(id)
  const life = await lifeOf(ports, accountId, mediaId)
  // Of what type an erased item was nothing tells any more.
  if (life.item && claimedType && life.item.mediaType !== claimedType) throw new MediaItemNotFound(id)
  const charges = new Charges(ports, accountId)
  const events = await readEvents(ports.eventStore, positions)
  const entries = await inParts(events, (read) => ofItem(charges, life, mediaId, read))
  return { ...life, mediaId, entries, total }
}

/** The event as it is about the one item. */
async function ofItem(
  charges: Charges,
  life: Life,
  mediaId: Uuid,
  { recorded, event }: ReadEvent,
): Promise<HistoryEntry> {
  const isNamed = life.item !== null && recorded.position > (life.deletedAt ?? 0)
  const { filename, ...entry } = await charges.explain(event, entryOf(recorded, event))
  const told = { ...entry, ...(isNamed && filename !== undefined && { filename }), mediaIds: [mediaId] }
  switch (event.type) {
    case 'BatchSubmitted': {
      const { jobId, mediaType, sizeBytes, sha256 } = event.jobs.find((job) => job.mediaId === mediaId)!
      const filename = isNamed ? await charges.filename(event.batchId, jobId) : undefined
      return { ...told, jobId, file: { mediaType, sizeBytes, sha256 }, ...(filename && { filename }) }
    }
    case 'MediaIngested':
    case 'MediaOverwritten':
      return { ...told, understanding: { ...told.understanding!, ...warningsOf(life, event.ingestId) } }
    case 'BalanceCharged':
    case 'BalanceRefunded':
      return { ...told, posting: await charges.share(event, told, mediaId) }
    default:
      return told
  }
}

function warningsOf({ item }: Life, ingestId: Uuid): Pick<Understood, 'warnings'> {
  if (item?.ingestId !== ingestId) return {}
  return { warnings: [...item.extraction.warnings, ...(item.enrichment.warnings ?? [])] }
}
