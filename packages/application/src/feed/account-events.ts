import { FairTurns, type LogPosition, type RecordedEvent, type Uuid } from '@medialog/kernel'
import { keepDoing, type Background } from '../core/background.ts'
import type { EventStore } from '../ports/event-store.ts'
import type { PublishedEvent } from './published-event.ts'
import {
  concernsFollowers,
  isOfAccountItself,
  RecentEvent,
  RecentEvents,
  type Portion,
} from './recent-events.ts'

export interface AccountEventsPorts {
  eventStore: Pick<EventStore, 'head' | 'readAll' | 'subscribe'>
  /** Waits between tries, and reports failures. */
  background: Pick<Background, 'pause'>
}

/** The published events of each account: one subscription of the log, shared by all who follow. */
export interface AccountEvents {
  /**
   * The account's published events after a position, in the order of the log, without gap or repeat: what is there, then
   * what comes, until `signal` aborts or the process stops. Reads no further than it is asked. Of an item that was deleted
   * by the time, only its deletion may be sent.
   * @throws EngineUnavailable; UnreadableEvent, having told all that is before it
   */
  follow(
    accountId: Uuid,
    after: LogPosition,
    options: { types?: ReadonlySet<string>; signal: AbortSignal },
  ): AsyncIterable<FollowedEvents>
  status(): AccountEventsStatus
  /** Ends what follows. */
  close(): Promise<void>
}

export interface FollowedEvents {
  /** None where only the position moved on, or for a while nothing happened. */
  events: FollowedEvent[]
  /** Where to resume: everything up to there was sent. */
  position: LogPosition
  /** Nothing more is known to wait behind it. */
  live: boolean
  /** Where the account itself or its keys changed last, among what was sent just now: the feed may be over. */
  accountChangedAt: LogPosition | null
}

export interface FollowedEvent {
  position: LogPosition
  published: PublishedEvent
}

export interface AccountEventsStatus {
  followers: number
  /** How many of these read the log, since they are further back than what is kept in memory. */
  catchingUp: number
}

/** The most that a follower gets in one turn, and holds while it takes nothing: the last event may go beyond it. */
const TOLD_AT_ONCE: Portion = { events: 128, length: 1024 * 1024 }
/** Of the log of all accounts, in one turn. */
const READ_AT_ONCE = TOLD_AT_ONCE.events
/** A follower of an idle account receives the log's position that often. */
const QUIET_MS = 10_000

/** Opens its subscription with the first follower. */
export const startAccountEvents = (ports: AccountEventsPorts): AccountEvents => new SharedSubscription(ports)

class SharedSubscription implements AccountEvents {
  readonly #ports: AccountEventsPorts
  readonly #stopping = new AbortController()
  readonly #waiting = new Map<Uuid, Set<() => void>>()
  /** Accounts that catch up take turns: however many follow, they take no more of the process than one. */
  readonly #turns = new FairTurns({ places: () => 1 })
  readonly #status: AccountEventsStatus = { followers: 0, catchingUp: 0 }
  readonly #opened = Promise.withResolvers<RecentEvents>()
  #running: Promise<void> | null = null

  constructor(ports: AccountEventsPorts) {
    this.#ports = ports
  }

  status(): AccountEventsStatus {
    return { ...this.#status }
  }

  async *follow(
    accountId: Uuid,
    after: LogPosition,
    { types, signal }: { types?: ReadonlySet<string>; signal: AbortSignal },
  ): AsyncGenerator<FollowedEvents> {
    const stop = AbortSignal.any([signal, this.#stopping.signal])
    this.#running ??= this.#run()
    const recent = await orAborted(this.#opened.promise, stop)
    if (recent === null) return
    const wanted = ({ type }: RecordedEvent): boolean => types?.has(type) ?? true
    let position = after
    let saidLive = false
    this.#status.followers++
    try {
      while (!stop.aborted) {
        const isBehind = position < recent.from
        if (saidLive && !isBehind && !recent.hasAfter(accountId, position)) {
          if (await this.#woken(accountId, stop)) continue
          position = Math.max(position, recent.position)
        }
        const endTurn = saidLive && !isBehind ? null : await this.#turns.take(accountId, { signal: stop })
        const { events, upTo, isAll } = await this.#next(accountId, position, recent).finally(
          // The turn lasts until the follower has its events; all other work of the process comes before the next turn.
          () => endTurn && setImmediate(endTurn),
        )
        const told = tell(events, upTo, wanted)
        position = told.position
        saidLive = isAll
        yield { ...told, live: saidLive }
      }
    } catch (error) {
      if (!stop.aborted) throw error
    } finally {
      this.#status.followers--
    }
  }

  async close(): Promise<void> {
    this.#stopping.abort()
    await this.#running
  }

  #run(): Promise<void> {
    const { background, eventStore } = this.#ports
    const { signal } = this.#stopping
    let recent: RecentEvents | null = null
    return keepDoing({ background, signal, onTrouble: () => undefined }, async (onProgress) => {
      if (!recent) {
        recent = new RecentEvents(await eventStore.head())
        this.#opened.resolve(recent)
      }
      for await (const batch of eventStore.subscribe(recent.position, { signal })) {
        for (const accountId of recent.add(batch)) this.#wake(accountId)
        onProgress()
      }
      if (!signal.aborted) throw new Error('the log was closed')
    })
  }

  /** The account's next events, from memory where they are kept; `upTo`: there are no others until there. */
  async #next(
    accountId: Uuid,
    after: LogPosition,
    recent: RecentEvents,
  ): Promise<{ events: RecentEvent[]; upTo: LogPosition; isAll: boolean }> {
    if (after < recent.from) return { ...(await this.#read(accountId, after, recent.from)), isAll: false }
    const { events, isAll } = recent.after(accountId, after, TOLD_AT_ONCE)
    return { events, upTo: isAll ? Math.max(after, recent.position) : events.at(-1)!.position, isAll }
  }

  /** The account's among the next events of the log; `known` is a position that the log has reached. */
  async #read(
    accountId: Uuid,
    after: LogPosition,
    known: LogPosition,
  ): Promise<{ events: RecentEvent[]; upTo: LogPosition }> {
    this.#status.catchingUp++
    try {
      const events: RecentEvent[] = []
      let upTo = after
      let count = 0
      let length = 0
      for await (const event of this.#ports.eventStore.readAll(after, { limit: READ_AT_ONCE })) {
        count++
        upTo = event.position
        if (event.metadata.accountId !== accountId || !concernsFollowers(event)) continue
        const recent = new RecentEvent(event)
        events.push(recent)
        length += recent.length
        if (length >= TOLD_AT_ONCE.length) return { events, upTo }
      }
      return { events, upTo: count === READ_AT_ONCE ? upTo : Math.max(upTo, known) }
    } finally {
      this.#status.catchingUp--
    }
  }

  #wake(accountId: Uuid): void {
    for (const wake of this.#waiting.get(accountId) ?? []) wake()
  }

  /** False where nothing happened for a while. */
  async #woken(accountId: Uuid, stop: AbortSignal): Promise<boolean> {
    const waiting = this.#waiting.get(accountId) ?? new Set()
    this.#waiting.set(accountId, waiting)
    const { promise, resolve } = Promise.withResolvers<boolean>()
    const wake = () => resolve(true)
    const quiet = setTimeout(resolve, QUIET_MS, false)
    waiting.add(wake)
    stop.addEventListener('abort', wake)
    try {
      return await promise
    } finally {
      clearTimeout(quiet)
      stop.removeEventListener('abort', wake)
      waiting.delete(wake)
      if (waiting.size === 0) this.#waiting.delete(accountId)
    }
  }
}

/** What is sent of these events, and up to where: an unreadable event ends it. @throws UnreadableEvent where it is the first */
function tell(
  recent: readonly RecentEvent[],
  upTo: LogPosition,
  wanted: (event: RecordedEvent) => boolean,
): Omit<FollowedEvents, 'live'> {
  const told: Omit<FollowedEvents, 'live'> = { events: [], position: upTo, accountChangedAt: null }
  for (const event of recent) {
    const { position, recorded } = event
    if (!recorded) continue
    if (isOfAccountItself(recorded)) told.accountChangedAt = position
    if (!wanted(recorded)) continue
    try {
      const published = event.published()
      if (published) told.events.push({ position, published })
    } catch (error) {
      const last = told.events.at(-1)?.position
      if (last === undefined) throw error
      return { ...told, position: last }
    }
  }
  return told
}

async function orAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T | null> {
  if (signal.aborted) return null
  const { promise: aborted, resolve } = Promise.withResolvers<null>()
  const abort = () => resolve(null)
  signal.addEventListener('abort', abort, { once: true })
  try {
    return await Promise.race([promise, aborted])
  } finally {
    signal.removeEventListener('abort', abort)
  }
}
