import type { Engines } from './engines.ts'

export interface Started {
  /** Where it takes requests or, without an API, answers for its health. */
  url: string
  /** What to tell the person who started it. */
  greeting: string
}

export interface StartOptions {
  /** Stands between the engines and those who use them: how tests bring faults in. */
  adapt?: (engines: Engines) => Engines
}
