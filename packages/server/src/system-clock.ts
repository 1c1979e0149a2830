import { uptime } from 'node:os'
import { CLOCK_FAR_MS } from '@medialog/domain'
import type { Clock } from '@medialog/kernel'

const HOUR_MS = 3_600_000

interface Sources {
  /** Milliseconds since the epoch, as the machine's clock has it. */
  wall(): number
  /** Milliseconds that the machine has run, sleep included, as no setting of the clock changes. */
  ran(): number
}

/**
 * The machine's clock. It is compared with how long the machine has run since this process began: a clock that was set
 * ahead by more than `CLOCK_FAR_MS` meanwhile is trouble, as long as it stays so; less can be a virtual machine that was
 * paused. A clock that is set back is believed.
 */
export function createSystemClock({
  wall = Date.now,
  ran = () => uptime() * 1_000,
}: Partial<Sources> = {}): Clock {
  let began = wall() - ran()
  return {
    now: wall,
    trouble() {
      const begins = wall() - ran()
      began = Math.min(began, begins)
      const ahead = begins - began
      return ahead <= CLOCK_FAR_MS
        ? null
        : `the system clock is ${Math.round(ahead / HOUR_MS)} hours ahead of the time that this process has measured: set the clock, or restart the service if the clock is right`
    },
  }
}
