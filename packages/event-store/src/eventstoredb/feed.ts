import { setTimeout as sleep } from 'node:timers/promises'
import { START, streamNameFilter } from '@eventstore/db-client'
import type { LogPosition } from '@medialog/kernel'
import type { Connection } from './connection.ts'
import { TimedOut } from './failures.ts'
import { at, PAGE, positionOf, type ServerEvent } from './pages.ts'

export interface FedEvents {
  /** In order; none where only `live` is said, or how far what others wrote was looked through. */
  events: ServerEvent[]
  /** From where another subscription may go on. */
  position: LogPosition
  /** Nothing more is known to wait. */
  live: boolean
}

export interface FeedOptions {
  /** What names of streams begin with. */
  prefixes: string[]
  /** Exclusive. */
  after: LogPosition
  silenceMs: number
  /** Whether there is something after this position that should have come. */
  isMissing: (position: LogPosition) => Promise<boolean>
  signal: AbortSignal
}

/** Checkpoints come after so many times 32 events of others: from there a new subscription goes on. */
const CHECKPOINT_INTERVAL = 32

/**
 * One subscription of the client's, drained as its reader asks. Ends with it: by an error, in silence, or when the
 * server ends it; the reader opens another one after `position`.
 * @throws errors of the client, TimedOut
 */
export async function* feed(connection: Connection, options: FeedOptions): AsyncGenerator<FedEvents> {
  const { prefixes, after, silenceMs, isMissing, signal } = options
  let woken = Promise.withResolvers<void>()
  const ring = () => woken.resolve()
  let isCaughtUp = false
  // The server says that once. For a slow reader it may go back to catching up, without a word.
  let mayBeBehind = false
  let ended = false
  let failure: Error | null = null
  let checkpoint = after
  const filter = streamNameFilter({
    prefixes,
    checkpointInterval: CHECKPOINT_INTERVAL,
    checkpointReached: (_, { commit }) => {
      checkpoint = Number(commit)
      ring()
    },
  })
  const subscription = connection.client
    .subscribeToAll(
      { ...connection.call, filter, fromPosition: after === 0 ? START : at(after) },
      { highWaterMark: PAGE },
    )
    .on('readable', ring)
    .on('caughtUp', () => {
      isCaughtUp = true
      ring()
    })
    .on('end', () => {
      ended = true
      ring()
    })
    .on('error', (error) => {
      failure ??= error
      ring()
    })
  signal.addEventListener('abort', ring)
  try {
    let position = after
    let said = { position, live: false }
    while (!signal.aborted) {
      woken = Promise.withResolvers()
      const events: ServerEvent[] = []
      while (events.length < PAGE) {
        const resolved = subscription.read() as { event?: ServerEvent } | null
        if (resolved === null) break
        if (resolved.event) events.push(resolved.event)
      }
      // The client reports a checkpoint and having caught up when the events before are in its buffer.
      const isDrained = subscription.readableLength === 0
      if (events.length > 0) position = positionOf(events.at(-1)!)
      if (isDrained) position = Math.max(position, checkpoint)
      if (!isDrained) mayBeBehind = true
      else if (isCaughtUp && mayBeBehind) mayBeBehind = await isMissing(position)
      const live = isDrained && isCaughtUp && !mayBeBehind
      if (position > said.position || (live && !said.live)) yield { events, position, live }
      said = { position, live }
      if (!isDrained) continue
      if (failure) throw failure
      if (ended) return
      if ((await silence(woken.promise, silenceMs, signal)) && (!isCaughtUp || (await isMissing(position))))
        throw new TimedOut()
    }
  } finally {
    signal.removeEventListener('abort', ring)
    // Left open it would go on being sent to.
    subscription.unsubscribe().catch(() => undefined)
    subscription.destroy()
  }
}

/** Whether nothing happened for so long. */
async function silence(woken: Promise<void>, ms: number, signal: AbortSignal): Promise<boolean> {
  const over = new AbortController()
  const quiet = sleep(ms, true, { signal: AbortSignal.any([over.signal, signal]) }).catch(() => false)
  try {
    return await Promise.race([woken.then(() => false), quiet])
  } finally {
    over.abort()
  }
}
