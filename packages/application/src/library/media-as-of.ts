import type { DomainEvent, Place, IngestRecord } from '@medialog/domain'
import type { LogPosition, Uuid, MediaType } from '@medialog/kernel'
import { accountAt } from '../billing/usage.ts'
import type { RequestContext } from '../core/context.ts'
import { placeIdOf } from '../core/ids.ts'
import type { Ports } from '../core/ports.ts'
import { settleReads } from '../core/read-your-writes.ts'
import { readEvents } from '../history/read-events.ts'
import { EngineUnavailable, type CatalogItem, type StoredThen } from '../ports/index.ts'
import type { ListMedia } from './read-media.ts'

export interface ListMediaAsOf extends Omit<ListMedia, 'vectors' | 'after'> {
  /** Milliseconds since the epoch, not in the future; what happened in that very moment is included. */
  asOf: number
}

export interface MediaThenPage {
  /** Newest first. */
  items: MediaThen[]
  total: number
  /** How many items were erased since of which it is not known whether they were there then. */
  undated: number
}

/** An item as it was at a moment, as far as that may be known now. */
export type MediaThen = { mediaId: Uuid; mediaType: MediaType; createdAt: number } & (
  | { state: 'stored'; item: CatalogItem }
  /** It was replaced since. Null is what is not known any more. */
  | { state: 'changed'; collection: string | null; ingest: IngestThen | null }
  | { state: 'erased'; erasedAt: number }
)

/** What the log keeps of an ingest that was replaced while its item is there. */
export type IngestThen = Pick<IngestRecord, 'filename' | 'sizeBytes' | 'sha256' | 'durationMs' | 'at'>

export type PastPorts = Pick<
  Ports,
  'history' | 'catalog' | 'accounts' | 'streams' | 'eventStore' | 'projections' | 'settings'
>

/**
 * What was stored at a moment, that moment's own events included: items that are still there as they were then, those that
 * were replaced since with what the log still says, those that were erased since with nothing but that they were.
 * @throws AccountNotYetOpen, AccountNotFound; EngineUnavailable where the read models do not agree in time
 */
export async function listMediaAsOf(
  ports: PastPorts,
  { principal: { accountId } }: RequestContext,
  { mediaType, collection, page, pageSize, asOf }: ListMediaAsOf,
): Promise<MediaThenPage> {
  const { accounts, history, catalog } = ports
  await accountAt(accounts, accountId, asOf)
  const placeIds = collection === undefined ? undefined : await placesNamed(ports, accountId, collection)
  const window = { offset: (page - 1) * pageSize, limit: pageSize }
  const read = async (): Promise<MediaThenPage | null> => {
    const stored = await history.storedAt(accountId, asOf, { mediaType, placeIds }, window)
    const items = await describe(ports, accountId, stored.items)
    return items && { ...stored, items }
  }
  const first = await read()
  if (first) return first
  // One of the two read models is ahead of the other.
  await settleReads(ports, Math.max(await history.position(), await catalog.position()), [
    'catalog',
    'history',
  ])
  const second = await read()
  if (!second) throw new EngineUnavailable('catalog', 'The read models are catching up; try again shortly.')
  return second
}

/** The name in each of its generations: what was in one that had ended is not stored. */
async function placesNamed({ streams }: PastPorts, accountId: Uuid, collection: string): Promise<Uuid[]> {
  const { selected: last } = await streams.load(
    'library',
    accountId,
    ({ generations }) => generations.get(collection) ?? 0,
  )
  return Array.from({ length: last + 1 }, (_, generation) => placeIdOf(accountId, { collection, generation }))
}

/** Null where one of them was erased meanwhile. */
async function describe(
  { catalog, eventStore }: PastPorts,
  accountId: Uuid,
  stored: readonly StoredThen[],
): Promise<MediaThen[] | null> {
  const present = stored.filter(({ erasedAt }) => erasedAt === null)
  const ids = present.map(({ mediaId }) => mediaId)
  const current = new Map((await catalog.items(accountId, ids)).map((item) => [item.mediaId, item]))
  if (present.some(({ mediaId }) => !current.has(mediaId))) return null
  const positions = present.flatMap(({ ingestPosition, placePosition }) => [ingestPosition, placePosition])
  const wanted = [...new Set(positions)].filter((position) => position !== null)
  const read = await readEvents(eventStore, wanted)
  if (read.length < wanted.length) return null
  const events = new Map(read.map(({ recorded, event }) => [recorded.position, event]))
  return stored.map((then) => mediaThen(then, current.get(then.mediaId), events))
}

function mediaThen(
  { mediaId, mediaType, createdAt, erasedAt, ingestPosition, placePosition }: StoredThen,
  current: CatalogItem | undefined,
  events: ReadonlyMap<LogPosition, DomainEvent>,
): MediaThen {
  const known = { mediaId, mediaType, createdAt }
  if (erasedAt !== null) return { ...known, state: 'erased', erasedAt }
  const ingest = ingestPosition === null ? undefined : events.get(ingestPosition)
  const collection = placePosition === null ? null : placeIn(events.get(placePosition)!).collection
  if (ingest?.type !== 'MediaIngested' && ingest?.type !== 'MediaOverwritten')
    return { ...known, state: 'changed', collection, ingest: null }
  if (ingest.ingestId !== current!.ingestId || collection === null)
    return { ...known, state: 'changed', collection, ingest }
  return { ...known, state: 'stored', item: { ...current!, collection } }
}

/** Of an event that put an item somewhere. */
const placeIn = (event: DomainEvent): Place => (event as Extract<DomainEvent, { place: Place }>).place
