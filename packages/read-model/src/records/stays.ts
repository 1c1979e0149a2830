import type { PastLife } from '@medialog/domain'
import type { LogPosition, MediaType, Uuid } from '@medialog/kernel'

/** Of an item that is moved or replaced more often than this it is not known where it was before, and as what. */
export const MOST_KNOWN = 1_000

export const OPEN_END = Number.MAX_SAFE_INTEGER

/** An item between two changes. Times are milliseconds since the epoch. */
export interface Stay {
  createdAt: number
  /** `[from, until)`. */
  from: number
  until: number
  mediaType: MediaType
  /** Null where it is not known. */
  placeId: Uuid | null
  /** Where it was at the end of that life, or is: it ends with that. */
  lastPlaceId: Uuid | null
  /** When it was deleted; null where it was not. */
  deletedAt: number | null
  /** Of the events that made it what it is and put it where it is; null where they are gone. */
  ingestPosition: LogPosition | null
  placePosition: LogPosition | null
}

/** What the log has told of an item so far: all that its stays are made of, whatever was erased since. */
export interface ToldItem {
  /** As its last deletion said. */
  lives: PastLife[]
  /** Since then. */
  ingests: { position: LogPosition | null; at: number; mediaType: MediaType; placeId: Uuid | null }[]
  moves: { position: LogPosition; at: number; placeId: Uuid | null }[]
}

/** A change of an item, from an event. */
export type Telling =
  /** It is there, or was replaced. `placeId` null: where it was. */
  | { type: 'StoreItem'; mediaType: MediaType; placeId: Uuid | null; at: number }
  | { type: 'MoveItems'; placeId: Uuid; at: number }
  /** It was deleted: all that is known of its own past from here on. */
  | { type: 'EndLives'; lives: PastLife[] }

/** What is known with the change. Before a rebuild comes to an item's deletion it knows its moves alone. */
export function toldBy(change: Telling, position: LogPosition, known: ToldItem | null): ToldItem {
  const told = known ?? { lives: [], ingests: [], moves: [] }
  switch (change.type) {
    case 'StoreItem': {
      const { at, mediaType, placeId } = change
      const ingests = [...told.ingests, { position, at, mediaType, placeId }]
      return { ...told, ingests: bounded(ingests, { position: null, placeId: null }) }
    }
    case 'MoveItems': {
      const { at, placeId } = change
      return { ...told, moves: bounded([...told.moves, { position, at, placeId }], { placeId: null }) }
    }
    case 'EndLives':
      return { ...told, lives: change.lives, ingests: [] }
  }
}

/** Where there are too many the first stands for those that are left out: it says since when, and is `unknown` else. */
const bounded = <T>(all: T[], unknown: Partial<T>): T[] =>
  all.length <= MOST_KNOWN ? all : [{ ...all[0]!, ...unknown }, ...all.slice(1 - MOST_KNOWN)]

/** Until when the item may have been there, of which nothing tells since when; null where all is known. */
export const undatedUntil = ({ lives }: ToldItem): number | null =>
  lives.findLast(({ createdAt }) => createdAt === null)?.until ?? null

/** Oldest first. */
export const staysOf = ({ lives, ingests, moves }: ToldItem): Stay[] => [
  ...lives.flatMap((life) => ofPast(life, moves)),
  ...ofPresent(ingests, moves, lives.at(-1)?.until ?? 0),
]

/** Something that happened to an item: what is not given stays as it was. */
interface Step {
  at: number
  position: LogPosition | null
  mediaType?: MediaType
  placeId?: Uuid | null
  ingestPosition?: LogPosition | null
}

const placed = (placeId: Uuid | null): Pick<Step, 'placeId'> => (placeId === null ? {} : { placeId })

/** In the order of their times: where its own events were in the log nothing tells any more. */
function ofPast({ createdAt, until, stays }: PastLife, moves: ToldItem['moves']): Stay[] {
  const [first] = stays
  if (createdAt === null || !first) return []
  const steps: Step[] = [
    ...stays.map(({ from, mediaType, placeId }) => ({
      at: from,
      position: null,
      mediaType,
      ...placed(placeId),
    })),
    ...moves
      .filter(({ at }) => at >= first.from && at < until)
      .map(({ at, placeId }) => ({ at, placeId, position: null })),
  ]
  return between(
    createdAt,
    steps.sort((a, b) => a.at - b.at),
    until,
  )
}

/** In the order of the log. */
function ofPresent(ingests: ToldItem['ingests'], moves: ToldItem['moves'], since: number): Stay[] {
  const [first] = ingests
  if (!first) return []
  const steps: Step[] = [
    ...ingests.map(({ at, mediaType, placeId, position }) => ({
      at,
      position,
      mediaType,
      ...placed(placeId),
      ingestPosition: position,
    })),
    ...moves
      .filter(({ at, position }) => (first.position === null ? at >= first.at : position > first.position))
      .map((move) => ({ ...move })),
  ]
  steps.sort((a, b) => (a.position ?? 0) - (b.position ?? 0))
  // Of several processes one may be slow: what came later was later.
  let latest = since
  for (const step of steps) step.at = latest = Math.max(latest, step.at)
  return between(first.at, steps, null)
}

type Kept = Pick<Stay, 'mediaType' | 'placeId' | 'ingestPosition' | 'placePosition'>

/** The first step says what type it is of. */
function between(createdAt: number, steps: readonly Step[], deletedAt: number | null): Stay[] {
  const stays: Stay[] = []
  let kept: Kept = {
    mediaType: steps[0]!.mediaType!,
    placeId: null,
    ingestPosition: null,
    placePosition: null,
  }
  for (const [index, { at, mediaType, placeId, position, ingestPosition }] of steps.entries()) {
    kept = {
      ...kept,
      ...(mediaType && { mediaType }),
      ...(placeId !== undefined && { placeId, placePosition: placeId === null ? null : position }),
      ...(ingestPosition !== undefined && { ingestPosition }),
    }
    const until = steps[index + 1]?.at ?? deletedAt ?? OPEN_END
    stays.push({ createdAt, from: at, until, ...kept, lastPlaceId: null, deletedAt })
  }
  return stays
    .filter(({ from, until }) => from < until)
    .map((stay) => ({ ...stay, lastPlaceId: kept.placeId }))
}

/** The eraser deletes what ended with its collection some time after. */
export const earliest = (deletedAt: number | null, endedAt: number | null): number | null =>
  deletedAt === null || endedAt === null ? (deletedAt ?? endedAt) : Math.min(deletedAt, endedAt)
