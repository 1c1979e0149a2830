import { systemClock, type Clock } from './clock.ts'

/** After the first death at once, then after pauses that double from here to there. */
const FIRST_PAUSE_MS = 250
const LONGEST_PAUSE_MS = 30_000
/** What lived that long starts with a clean slate. */
const FORGIVEN_AFTER_MS = 60_000

export interface Restarts {
  /** Milliseconds until it may be started; 0 when it may. */
  pause(): number
  started(): void
  died(): void
}

/** How soon something that dies is started again: at once at first, ever later when it dies again soon after. */
export function createRestarts(clock: Clock = systemClock): Restarts {
  let deaths = 0
  let startedAt = clock.now()
  let notBefore = startedAt
  return {
    pause: () => Math.max(0, notBefore - clock.now()),
    started() {
      startedAt = clock.now()
    },
    died() {
      const diedAt = clock.now()
      deaths = diedAt - startedAt > FORGIVEN_AFTER_MS ? 1 : deaths + 1
      const pause = deaths === 1 ? 0 : Math.min(FIRST_PAUSE_MS * 2 ** (deaths - 2), LONGEST_PAUSE_MS)
      notBefore = diedAt + pause
    },
  }
}
