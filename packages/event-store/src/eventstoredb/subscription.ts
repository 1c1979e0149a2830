import { setTimeout as sleep } from 'node:timers/promises'
import { EngineUnavailable, type EventBatch } from '@medialog/application/ports'
import { BEGINNING, type LogPosition } from '@medialog/kernel'
import { isTransient } from './failures.ts'
import { feed } from './feed.ts'
import type { LogEnd } from './log-end.ts'
import { pagedEvent, type LogPages } from './log-pages.ts'
import type { TruncationPorts } from './truncations.ts'

export interface SubscriptionPorts extends Omit<TruncationPorts, 'pages'> {
  end: LogEnd
  log: LogPages
}

const FIRST_PAUSE_MS = 20
const LONGEST_PAUSE_MS = 1_000

/**
 * The log after a position until `stop` aborts: from one subscription of the client's to the next, whatever ends them.
 * @throws LogDamaged
 */
export async function* subscription(
  { availability, connection, end, limits, log, streams }: SubscriptionPorts,
  after: LogPosition,
  stop: AbortSignal,
): AsyncGenerator<EventBatch> {
  let position = after
  // Checkpoints go beyond it: events of others count there.
  let fed = after
  let saidLive = false
  let pauseMs = FIRST_PAUSE_MS
  while (!stop.aborted) {
    let isCatchingUp = true
    try {
      const batches = feed(connection, {
        prefix: streams.prefix,
        after: fed,
        silenceMs: limits.silenceMs,
        isMissing: async (upTo) => (await availability.attempt(() => end.find())) > upTo,
        signal: stop,
      })
      for await (const batch of batches) {
        const paged = batch.events.map((event) => pagedEvent(event, streams.of(event)!))
        // What lies further back may be hidden by now; what comes as it is appended is not.
        const shown = isCatchingUp ? await log.shown(paged) : paged
        if (stop.aborted) return
        const events = shown.filter((event) => event.position > position).map((one) => log.decoded(one))
        position = Math.max(position, paged.at(-1)?.position ?? BEGINNING)
        fed = Math.max(fed, batch.position)
        if (events.length > 0 || (batch.live && !saidLive)) {
          saidLive = batch.live
          yield { events, position, live: batch.live }
        }
        isCatchingUp = !batch.live
        pauseMs = FIRST_PAUSE_MS
      }
    } catch (error) {
      if (stop.aborted) return
      if (!isTransient(error) && !(error instanceof EngineUnavailable)) throw error
      availability.suspect()
    }
    await sleep(pauseMs, undefined, { signal: stop }).catch(() => undefined)
    pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS)
  }
}
