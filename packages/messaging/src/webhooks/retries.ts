import type { Delivery } from '@medialog/application/ports'
import type { SendOutcome } from './sender.ts'

/** Milliseconds. */
export interface RetrySettings {
  /** About so long after the first failure it is tried again; twice as long after each one more. */
  first: number
  /** A delivery that did not arrive for so long is given up. */
  giveUpAfter: number
}

const LONGEST_PAUSE_MS = 6 * 60 * 60 * 1000
/** A receiver may ask for as much, and no more. */
const LONGEST_RETRY_AFTER_MS = 24 * 60 * 60 * 1000
const KEPT_ATTEMPTS = 10

/** Between half and all of it, so that what failed together is not tried together. `random`: 0 to 1. */
export const pauseAfter = (tries: number, first: number, random: number): number =>
  Math.min(first * 2 ** (tries - 1), LONGEST_PAUSE_MS) * (0.5 + random / 2)

/** The delivery after an attempt that began at `at`: arrived, to be tried again, or given up. */
export function attempted(
  delivery: Delivery,
  { status, error, retryAfterMs }: SendOutcome,
  { at, now, random, settings }: { at: number; now: number; random: number; settings: RetrySettings },
): Delivery {
  const tries = delivery.tries + 1
  const attempt = { at, tookMs: Math.max(0, now - at), status, error }
  const attempts = [attempt, ...delivery.attempts].slice(0, KEPT_ATTEMPTS)
  const after = { ...delivery, tries, attempts, changedAt: now }
  if (error === null) return { ...after, state: 'delivered' }
  const pause = Math.max(
    pauseAfter(tries, settings.first, random),
    Math.min(retryAfterMs ?? 0, LONGEST_RETRY_AFTER_MS),
  )
  const dueAt = Math.round(now + pause)
  return dueAt > delivery.since + settings.giveUpAfter ? { ...after, state: 'dead' } : { ...after, dueAt }
}
