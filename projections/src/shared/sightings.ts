import type { Note } from '@medialog/application/ports'

/** When documents were first seen as they are, by this process's own clock. */
export class Sightings {
  readonly #seen = new Map<string, { revision: string; at: number }>()

  /** For how many milliseconds it has been seen like this by now. */
  unchangedFor({ id, revision }: Note<unknown>): number {
    const now = performance.now()
    const known = this.#seen.get(id)
    if (known?.revision === revision) return now - known.at
    this.#seen.set(id, { revision, at: now })
    return 0
  }

  /** Forgets all but these. */
  keep(notes: readonly Note<unknown>[]): void {
    const ids = new Set(notes.map(({ id }) => id))
    for (const id of this.#seen.keys()) if (!ids.has(id)) this.#seen.delete(id)
  }
}
