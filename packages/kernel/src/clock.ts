/** Milliseconds since the epoch; a port, so that tests set the time. */
export interface Clock {
  now(): number
}

export const systemClock: Clock = { now: () => Date.now() }

/** ISO 8601 UTC with milliseconds and `Z`. */
export const isoTime = (milliseconds: number): string => new Date(milliseconds).toISOString()
