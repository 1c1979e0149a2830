import type { Category, DomainEvent, EventsOf } from '@medialog/domain'
import type { JsonObject, RecordedEvent } from '@medialog/kernel'
import { z } from 'zod'
import { accountEvents } from './events/account.ts'
import { batchEvents } from './events/batch.ts'
import { checkpointEvents } from './events/checkpoints.ts'
import { erasureEvents } from './events/erasure.ts'
import { filesEvents } from './events/files.ts'
import { ledgerEvents } from './events/ledger.ts'
import { libraryEvents } from './events/library.ts'
import { mediaEvents } from './events/media.ts'
import { requestEvents } from './events/request.ts'
import { webhooksEvents } from './events/webhooks.ts'

const SCHEMAS = {
  account: accountEvents,
  ledger: ledgerEvents,
  media: mediaEvents,
  library: libraryEvents,
  batch: batchEvents,
  files: filesEvents,
  request: requestEvents,
  checkpoints: checkpointEvents,
  webhooks: webhooksEvents,
  erasure: erasureEvents,
} satisfies { [C in Category]: Record<EventsOf[C]['type'], z.ZodType> }

/** The payload schema of every event type, as stored: one file a category. */
export const eventSchemas = {
  ...accountEvents,
  ...ledgerEvents,
  ...mediaEvents,
  ...libraryEvents,
  ...batchEvents,
  ...filesEvents,
  ...requestEvents,
  ...checkpointEvents,
  ...webhooksEvents,
  ...erasureEvents,
} satisfies Record<DomainEvent['type'], z.ZodType>

/** What the names of the streams begin with that have events of a type. */
const STREAMS_OF = Object.fromEntries(
  Object.entries(SCHEMAS).flatMap(([category, types]) =>
    Object.keys(types).map((type) => [type, `${category}-`]),
  ),
) as Record<DomainEvent['type'], string>

/**
 * The current version of a type's payload, where it is no longer 1. What lifts an older payload to the next version
 * stands beside it: `upcasters.BalanceCharged[1]` takes version 1 to version 2.
 */
// oxlint-disable-next-line medialog/no-object-as-map -- its names are those of types that are known
export const upcasters: { [type: string]: { [fromVersion: number]: (data: JsonObject) => JsonObject } } = {
  // It was not measured.
  JobSucceeded: { 1: (data) => ({ ...data, tookMs: null }) },
  // It said neither since when the item was there nor where.
  MediaDeleted: { 1: (data) => ({ ...data, lives: [{ createdAt: null, until: data['at']!, stays: [] }] }) },
}

const VERSIONS = Object.fromEntries(
  Object.keys(eventSchemas).map((type) => [type, 1 + Object.keys(upcasters[type] ?? {}).length]),
) as Record<DomainEvent['type'], number>

/** The version in which a type's payload is written now. */
export const currentVersion = (type: DomainEvent['type']): number => VERSIONS[type]

/** What the names of the streams begin with that have events of the type. */
export const streamsOf = (type: DomainEvent['type']): string => STREAMS_OF[type]

/** An event of the domain as it is stored: amounts as decimal strings of nano-USD, everything else JSON. */
export function encodeEvent(event: DomainEvent): { type: string; version: number; data: JsonObject } {
  const { type, ...payload } = event
  const data = eventSchemas[type].encode(payload as never) as JsonObject
  return { type, version: currentVersion(type), data }
}

/**
 * The event as the domain knows it. Fields that this release does not know are left out: a later one may add to a
 * payload without a new version. A later version is refused, since its fields may mean something else.
 * Throws ZodError on a payload that no released version wrote, Error on an unknown type or version.
 */
export function decodeEvent({
  type,
  version,
  data,
}: Pick<RecordedEvent, 'type' | 'version' | 'data'>): DomainEvent {
  if (!isKnownType(type)) throw new Error(`unknown event type ${type}`)
  const current = currentVersion(type)
  if (!Number.isInteger(version) || version < 1 || version > current)
    throw new Error(`${type} of version ${version}, known are 1 to ${current}`)
  for (let from = version; from < current; from++) data = upcasters[type]![from]!(data)
  return { type, ...eventSchemas[type].decode(data as never) } as DomainEvent
}

/** A recorded event that this release cannot read: says which, where it is, and why. */
export class UnreadableEvent extends Error {
  constructor({ type, position, revision, stream }: RecordedEvent, cause: unknown) {
    super(
      `${type} at position ${position}, revision ${revision} of ${stream}, cannot be read: ${reasonOf(cause)}`,
      { cause },
    )
    this.name = 'UnreadableEvent'
  }
}

/** As `decodeEvent`. @throws UnreadableEvent, also where the stream is of a kind that has no events of the type */
export function decodeRecorded(recorded: RecordedEvent): DomainEvent {
  try {
    if (isMisplaced(recorded)) throw new Error('no stream of this kind has such events')
    return decodeEvent(recorded)
  } catch (error) {
    throw new UnreadableEvent(recorded, error)
  }
}

/** A recorded event with its payload decoded, the category of its stream and the id in the stream's name. */
export type DecodedEvent<C extends Category = Category> = {
  [K in C]: { category: K; id: string; event: EventsOf[K]; recorded: RecordedEvent }
}[C]

/** Null where the event is of another category, or of a type that this release does not know. @throws UnreadableEvent */
export function decodedFrom<C extends Category>(
  categories: ReadonlySet<C>,
  recorded: RecordedEvent,
): DecodedEvent<C> | null {
  const { stream } = recorded
  const dash = stream.indexOf('-')
  const category = stream.slice(0, dash) as C
  if (!categories.has(category) || !isKnownEvent(recorded)) return null
  const decoded: object = { category, id: stream.slice(dash + 1), event: decodeRecorded(recorded), recorded }
  return decoded as DecodedEvent<C>
}

function reasonOf(error: unknown): string {
  if (!(error instanceof z.ZodError)) return (error as Error).message
  return error.issues.map(({ path, message }) => `${path.join('.') || 'payload'}: ${message}`).join('; ')
}

type Placed = Pick<RecordedEvent, 'type' | 'stream'>

/** Whether this release knows the type: logs may hold events of later releases or other software. */
export const isKnownType = (type: string): type is DomainEvent['type'] => Object.hasOwn(eventSchemas, type)

/** Whether the event is of a known type in a stream of another kind than has it: the service wrote no such event. */
export const isMisplaced = ({ type, stream }: Placed): boolean =>
  isKnownType(type) && !stream.startsWith(STREAMS_OF[type])

/** Whether this release knows what the event means. */
export const isKnownEvent = (recorded: Placed): boolean =>
  isKnownType(recorded.type) && !isMisplaced(recorded)
