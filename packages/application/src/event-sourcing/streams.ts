import {
  account,
  batch,
  checkpoints,
  CHECKPOINTS_FOLD_START,
  erasure,
  files,
  ledger,
  LEDGER_FOLD_START,
  library,
  mediaDecider,
  request,
  webhooks,
  type Category,
} from '@medialog/domain'
import type { Clock, Decider, LogPosition, RecordedEvent, Revision, StreamName, Uuid } from '@medialog/kernel'
import { placeIdOf } from '../core/ids.ts'
import type { EventStore } from '../ports/event-store.ts'
import type { Executed, ExecuteOptions, Origin, PeekOptions } from './executing.ts'
import { Stream } from './stream.ts'

const DECIDERS = {
  account,
  ledger,
  media: mediaDecider(placeIdOf),
  library,
  batch,
  files,
  request,
  checkpoints,
  erasure,
  webhooks,
}

/** The command type of each category's decider. */
export type CommandOf<C extends Category> = Parameters<(typeof DECIDERS)[C]['decide']>[0]
/** The state type of each category's decider. */
export type StateOf<C extends Category> = ReturnType<(typeof DECIDERS)[C]['initialState']>

/** Where a fold may start instead of at revision 0: at the `count`-th last event of that type. */
const FOLD_STARTS: { [C in Category]?: { type: string; count: number } } = {
  ledger: LEDGER_FOLD_START,
  checkpoints: CHECKPOINTS_FOLD_START,
}

/** Every stream by name: commands in, recorded events out. */
export interface Streams {
  /**
   * Decides on the stream's state and appends what was decided, again after a conflict.
   * @throws the decider's DomainError; EngineUnavailable when the log cannot be written
   */
  execute<C extends Category, T = undefined>(
    category: C,
    id: Uuid,
    command: CommandOf<C>,
    origin: Origin,
    options?: ExecuteOptions<StateOf<C>, T>,
  ): Promise<Executed<T>>
  /** The state as of now; not to be changed by the caller. Revision null: no such stream. */
  load<C extends Category, T>(
    category: C,
    id: Uuid,
    select: (state: StateOf<C>) => T,
  ): Promise<{ selected: T; revision: Revision | null; position: LogPosition }>
  /**
   * The state as this process knew it at most a second ago, without a call of the log; undefined where it did not. Others may
   * have moved the stream since: for what a decider judges again, and never to refuse.
   */
  peek<C extends Category, T>(
    category: C,
    id: Uuid,
    select: (state: StateOf<C>) => T,
    options?: PeekOptions,
  ): T | undefined
  truncate(category: Category, id: Uuid, before: Revision): Promise<void>
}

export const streamName = (category: Category, id: Uuid): StreamName => `${category}-${id}`
/** What comes before the id. */
export const categoryIn = (stream: StreamName): string => stream.slice(0, stream.indexOf('-'))
/** What comes after the category. */
export const idIn = (stream: StreamName): Uuid => stream.slice(stream.indexOf('-') + 1)

/** Null where the stream has none. */
export async function lastEvent(
  store: Pick<EventStore, 'read'>,
  stream: StreamName,
): Promise<RecordedEvent | null> {
  for await (const event of store.read(stream, { direction: 'backwards', limit: 1 })) return event
  return null
}

/**
 * How many folded streams are kept in memory: of items and requests, of which each upload has new ones of a kilobyte that few
 * ask for again; and of all others, among them ledgers, which take long to fold.
 */
const KEPT_OF_ITEMS = 2_000
const KEPT_OF_OTHERS = 10_000

const keptUpTo = (most: number) => ({ most, streams: new Map<StreamName, Stream<unknown, never, unknown>>() })

export function createStreams(store: EventStore, clock: Clock): Streams {
  const ofItems = keptUpTo(KEPT_OF_ITEMS)
  const ofOthers = keptUpTo(KEPT_OF_OTHERS)
  const keptWith = (category: Category) =>
    category === 'media' || category === 'request' ? ofItems : ofOthers

  function stream(category: Category, id: Uuid): Stream<unknown, never, unknown> {
    const name = streamName(category, id)
    const { streams, most } = keptWith(category)
    const known = streams.get(name)
    if (known) {
      // Moved to the end: the map's order is the order of use.
      streams.delete(name)
      streams.set(name, known)
      return known
    }
    const decider = DECIDERS[category] as unknown as Decider<unknown, never, unknown>
    const fresh = new Stream(store, clock, name, decider, FOLD_STARTS[category])
    streams.set(name, fresh)
    for (const [oldest, { idle }] of streams) {
      if (streams.size <= most) break
      if (idle) streams.delete(oldest)
    }
    return fresh
  }

  return {
    execute: (category, id, command, origin, options = {}) =>
      stream(category, id).execute(command, origin, options as ExecuteOptions<unknown, never>) as never,
    load: (category, id, select) => stream(category, id).load(select as never) as never,
    peek: (category, id, select, options = {}) =>
      keptWith(category)
        .streams.get(streamName(category, id))
        ?.peek(select as never, options) as never,
    truncate: (category, id, before) => store.truncate(streamName(category, id), before),
  }
}
