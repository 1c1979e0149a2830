import type { LogPosition, Revision, StreamName } from '@medialog/kernel'

/** How the log was changed, as far as the rest shows. */
export type FindingKind = 'changed' | 'missing' | 'inserted' | 'reordered' | 'cut' | 'rewritten'

export interface Finding {
  what: FindingKind
  /** Null, like the two below, where it is about more than one event. */
  position: LogPosition | null
  stream: StreamName | null
  revision: Revision | null
  /** For people. */
  reason: string
}

/** Null: about more than one event. */
export type Place = Pick<Finding, 'position' | 'stream' | 'revision'>

/** A log that is another one altogether has as many findings as events. */
const MOST_LISTED = 100

/** Findings as they come: all are counted, the first are listed. */
export class Findings {
  readonly listed: Finding[] = []
  #count = 0

  get count(): number {
    return this.#count
  }

  add(what: FindingKind, { position, stream, revision }: Place, reason: string): void {
    this.#count++
    if (this.listed.length < MOST_LISTED) this.listed.push({ what, position, stream, revision, reason })
  }
}

/** About the log as a whole. */
export const NOWHERE = { position: null, stream: null, revision: null } as const
