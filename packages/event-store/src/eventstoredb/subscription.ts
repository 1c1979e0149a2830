import { setTimeout as sleep } from 'node:timers/promises'
import { EngineUnavailable, type EventBatch } from '@medialog/application/ports'
import type { LogPosition } from '@medialog/kernel'
import type { Continuity } from './continuity.ts'
import { isTransient } from './failures.ts'
import { feed } from './feed.ts'
import type { LogEnd } from './log-end.ts'
import type { LogPages } from './log-pages.ts'
import { positionOf } from './pages.ts'
import type { TruncationPorts } from './truncations.ts'

export interface SubscriptionPorts extends TruncationPorts {
  end: LogEnd
  log: LogPages
  continuity: Continuity
}

const FIRST_PAUSE_MS = 20
const LONGEST_PAUSE_MS = 1_000

/**
 * The log after a position until `stop` aborts: from one subscription of the client's to the next, whatever ends them.
 */
export async function* subscription(
  { availability, connection, continuity, end, pages, limits, log, streams }: SubscriptionPorts,
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
      continuity.expect(position)
      await availability.requireSameLog()
      // A checkpoint may lie beyond the last record, and a subscription from there be silent until the log has passed it.
      fed = Math.max(position, Math.min(fed, await availability.attempt(() => pages.end())))
      const batches = feed(connection, {
        prefixes: streams.prefixes,
        after: fed,
        silenceMs: limits.silenceMs,
        isMissing: async (upTo) => (await availability.attempt(() => end.find())) > upTo,
        signal: stop,
      })
      for await (const batch of batches) {
        const ours = batch.events.filter((event) => streams.of(event) !== null)
        await log.look(batch.events)
        // What lies further back may be hidden by now; what comes as it is appended is not.
        const shown = isCatchingUp ? await log.shown(ours) : log.fresh(ours)
        if (stop.aborted) return
        const events = shown.events.filter((event) => event.position > position)
        continuity.saw(shown.events.at(-1))
        const last = ours.at(-1)
        const isFurther = last !== undefined && positionOf(last) > position
        if (isFurther) position = positionOf(last)
        fed = Math.max(fed, batch.position)
        if (isFurther || (batch.live && !saidLive)) {
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
