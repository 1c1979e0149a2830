import { periodically } from '@medialog/application/core/periodically'
import type { Coordination, Note, SentElsewhere, SentPart } from '@medialog/application/ports'
import { HERE } from '../hosted.ts'
import { Sightings } from './sightings.ts'

/** How a part is that one process does for all, as that process told it last. */
interface Told {
  part: SentPart
  /** Why it stands still; null: it does not. */
  trouble: string | null
  /** Of the process, for people. */
  name: string
  /** Another number each time: whether it still changes is all that tells whether the process lives. */
  beat: number
}

const TOLD = 'told/'
const TELL_EVERY_MS = 5_000
/** Longer than another takes to step in, and to report it. */
const UNHEARD_AFTER_MS = 20_000

export interface Condition {
  part: SentPart
  /** Its name among others of its kind; its successor has the same. */
  id: string
  trouble: string | null
}

export interface TellingOptions {
  coordination: Coordination
  /** How that is which this process does; what another does now is not in it. */
  conditions: () => Promise<Condition[]>
  tellEvery?: number
}

/** Publishes the status of what this process does for others, again and again; withdraws it on close. */
export function tellOthers({ coordination, conditions, tellEvery = TELL_EVERY_MS }: TellingOptions): {
  close(): Promise<void>
} {
  const told = new Map<string, Note<Told>>()
  const closing = new AbortController()

  async function tell({ part, id, trouble }: Condition): Promise<void> {
    const place = `${TOLD}${part}/${id}`
    const before = await coordination.read<Told>(place)
    const now = { part, trouble, name: HERE, beat: (before?.value.beat ?? 0) + 1 }
    const written = await coordination.write<Told>(place, now, before)
    if (written) told.set(place, written)
  }

  // Where it cannot be written, the readers find the engine unavailable themselves.
  const telling = periodically(tellEvery, closing.signal, () =>
    conditions()
      .then((found) => Promise.all(found.map(tell)))
      .catch(() => undefined),
  )

  return {
    async close() {
      closing.abort()
      await telling
      // What another has told since stays.
      for (const note of told.values()) await coordination.remove(note).catch(() => undefined)
    },
  }
}

export interface HearingOptions {
  coordination: Coordination
  lookEvery?: number
  unheardAfter?: number
}

/** What others tell, for who does none of it. */
export function hearOthers({
  coordination,
  lookEvery = TELL_EVERY_MS,
  unheardAfter = UNHEARD_AFTER_MS,
}: HearingOptions): SentElsewhere & { close(): Promise<void> } {
  let heard: Note<Told>[] = []
  let sightings = new Sightings()
  const closing = new AbortController()

  async function look(): Promise<void> {
    try {
      heard = await coordination.list<Told>(TOLD)
      for (const note of heard) sightings.unchangedFor(note)
    } catch {
      // No process could publish: silence begins again once they can.
      heard = []
      sightings = new Sightings()
    }
  }
  const looking = periodically(lookEvery, closing.signal, look)

  function troubleOf(note: Note<Told>): string | null {
    const silentMs = sightings.unchangedFor(note)
    if (silentMs < unheardAfter) return note.value.trouble
    return `the process that did it, ${note.value.name}, was not heard of for ${Math.round(silentMs / 1_000)} seconds`
  }

  return {
    troubles() {
      const troubles: ReturnType<SentElsewhere['troubles']> = {}
      for (const note of heard) troubles[note.value.part] ??= troubleOf(note)
      return troubles
    },
    async close() {
      closing.abort()
      await looking
    },
  }
}
