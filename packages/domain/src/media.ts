import { DomainError, type Decider, type MediaType, type Uuid } from '@medialog/kernel'

/** What an ingest left in the artifact store, by name. */
export type ArtifactDigests = { [name: string]: { sha256: string; size: number } }

/** What is known of a finished ingest. Holds no derived content: that lives in the artifacts. */
export interface IngestRecord {
  ingestId: Uuid
  jobId: Uuid
  mediaType: MediaType
  format: string
  filename: string
  sizeBytes: number
  sha256: string
  artifacts: ArtifactDigests
  vectorCount: { hd: number; ld: number }
  embedder: string
  enricher: string
  /** Milliseconds that understanding took. */
  durationMs: number
  at: number
}

/** What is known of an ingest whose kept text was embedded again. */
export interface EmbeddingRecord extends Pick<IngestRecord, 'ingestId' | 'embedder' | 'at'> {
  artifacts: ArtifactDigests
}

/** A place among the collections: an ended generation is dead with everything in it. */
export interface Place {
  collection: string
  generation: number
}

/** What is left of one ingest of an item that was deleted since, with those that changed neither type nor place. */
export interface Stay {
  from: number
  mediaType: MediaType
  /** Where the ingest put it; null: it stayed where it was, or that is not known. */
  placeId: Uuid | null
}

/** That an item was stored, from when until when, without its content. */
export interface PastLife {
  /** When its first ingest was recorded; null where that is not known, nor any stay. */
  createdAt: number | null
  until: number
  /** Oldest first. */
  stays: Stay[]
}

/** Stream `media-<uuid>`. Times are milliseconds since the epoch. */
export type MediaEvent =
  | {
      type: 'IngestClaimed'
      accountId: Uuid
      ingestId: Uuid
      jobId: Uuid
      batchId: Uuid | null
      sha256: string
      at: number
    }
  | { type: 'IngestReleased'; accountId: Uuid; ingestId: Uuid; jobId: Uuid; reason: string; at: number }
  | ({ type: 'MediaIngested'; accountId: Uuid; place: Place } & IngestRecord)
  /** `place` null: it stays where it is. */
  | ({
      type: 'MediaOverwritten'
      accountId: Uuid
      place: Place | null
      previousIngestId: Uuid
    } & IngestRecord)
  /** The same ingest with vectors of another embedder: `artifacts` are all that it rests on from here on. */
  | ({ type: 'MediaReembedded'; accountId: Uuid } & EmbeddingRecord)
  | {
      type: 'MediaDeleted'
      accountId: Uuid
      ingestId: Uuid
      cause: DeletionCause
      reason: string | null
      /** All lives of the item, oldest first, this one last: what came before this event is erased. */
      lives: PastLife[]
      at: number
    }

export type DeletionCause = 'requested' | 'collection-deleted'

export type MediaCommand =
  | {
      type: 'ClaimIngest'
      accountId: Uuid
      ingestId: Uuid
      jobId: Uuid
      batchId: Uuid | null
      sha256: string
      /** Whether an item that is there may be replaced. */
      overwrite: boolean
      /** The ingest of an item whose collection was deleted, else null: that item counts as gone, and is deleted first. */
      dead: Uuid | null
      /** The process that had claimed it so often ended while it was at it: it is claimed once more. */
      after?: number
      at: number
    }
  | { type: 'ReleaseIngest'; ingestId: Uuid; reason: string; at: number }
  | { type: 'RecordIngest'; place: Place; keepPlace: boolean; record: IngestRecord }
  /** Only this ingest: what replaced it has vectors of its own. */
  | { type: 'RecordEmbedding'; record: EmbeddingRecord }
  | {
      type: 'DeleteMedia'
      cause: DeletionCause
      reason: string | null
      /** Only this ingest is deleted: another one that replaced it stays. */
      ingestId: Uuid
      at: number
    }

/** `embedder` and `artifacts` are those that it has by now. */
interface ItemState extends Pick<
  IngestRecord,
  'ingestId' | 'jobId' | 'mediaType' | 'sha256' | 'embedder' | 'artifacts'
> {
  createdAt: number
  stays: (Omit<Stay, 'placeId'> & { place: Place | null })[]
}

export interface Media {
  accountId: Uuid | null
  /** `claims`: how often, the first one and those after the end of a process that was at it. */
  claim: { ingestId: Uuid; jobId: Uuid; claims: number } | null
  /** The item as readers see it, null before the first ingest and after a deletion. */
  item: ItemState | null
  /** As its last deletion said. */
  lives: PastLife[]
  /** How past ingests ended. That is final: what was released cannot be claimed or recorded again. */
  ended: Map<Uuid, 'recorded' | 'released'>
}

/** The same content is stored already: in the item that the details name, where the refusing code knows it. */
export class DuplicateMedia extends DomainError {
  constructor(existing: { media_id?: string; collection?: string } = {}) {
    super('DUPLICATE_FILE', 'The same content is stored already; force_overwrite replaces it.', existing)
  }
}

/** The same content is being ingested by another request right now. */
export class IngestInProgress extends DomainError {
  readonly jobId: Uuid

  constructor(jobId: Uuid) {
    super('DUPLICATE_FILE', 'The same content is being ingested by another request.')
    this.jobId = jobId
  }
}

/** The claim was given up meanwhile (and its charge refunded): what was made of it must not appear. */
export class ClaimLost extends DomainError {
  constructor() {
    super('CLAIM_LOST', 'The ingest was given up before it was recorded.')
  }
}

export class MediaNotFound extends DomainError {
  constructor() {
    super('RESOURCE_NOT_FOUND', 'There is no such media item.')
  }
}

/** A deletion is one event, however often its item was replaced: beyond so many stays the oldest are not told. */
export const MOST_STAYS = 500

/** `placeIdOf` names a place without telling its name: what names it outlives the item. */
export const mediaDecider = (
  placeIdOf: (accountId: Uuid, place: Place) => Uuid,
): Decider<MediaCommand, MediaEvent, Media> => ({
  initialState: () => ({ accountId: null, claim: null, item: null, lives: [], ended: new Map() }),

  evolve(state, event) {
    const { accountId, ingestId } = event
    switch (event.type) {
      case 'IngestClaimed':
        return {
          ...state,
          accountId,
          claim: { ingestId, jobId: event.jobId, claims: claimsOf(state, ingestId) + 1 },
        }
      case 'IngestReleased':
        state.ended.set(ingestId, 'released')
        return { ...state, accountId, claim: null }
      case 'MediaIngested':
      case 'MediaOverwritten':
        state.ended.set(ingestId, 'recorded')
        return { ...state, accountId, claim: null, item: itemOf(state, event) }
      case 'MediaReembedded': {
        const { embedder, artifacts } = event
        return state.item?.ingestId === ingestId
          ? { ...state, item: { ...state.item, embedder, artifacts } }
          : state
      }
      case 'MediaDeleted':
        // An erased stream starts here: the record itself may be gone.
        state.ended.set(ingestId, 'recorded')
        return { ...state, accountId, item: null, lives: event.lives }
    }
  },

  decide(command, state) {
    switch (command.type) {
      case 'ClaimIngest':
        return claim(command, state, (at) => livesUntil(at, state, placeIdOf))
      case 'ReleaseIngest':
        return release(command, state)
      case 'RecordIngest':
        return record(command, state)
      case 'RecordEmbedding':
        return recordEmbedding(command, state)
      case 'DeleteMedia': {
        const { cause, reason, ingestId, at } = command
        if (state.item?.ingestId !== ingestId) throw new MediaNotFound()
        const lives = livesUntil(at, state, placeIdOf)
        return [{ type: 'MediaDeleted', accountId: state.accountId!, ingestId, cause, reason, lives, at }]
      }
    }
  },
})

type CommandNamed<Type extends MediaCommand['type']> = Extract<MediaCommand, { type: Type }>

function claim(
  command: CommandNamed<'ClaimIngest'>,
  state: Media,
  livesUntil: (at: number) => PastLife[],
): MediaEvent[] {
  const { accountId, ingestId, jobId, batchId, sha256, at } = command
  const ended = state.ended.get(ingestId)
  // A worker that was given up for dead and refunded starts again: it must not have the item for nothing.
  if (ended === 'released') throw new ClaimLost()
  if (ended === 'recorded') return []
  const claims = claimsOf(state, ingestId)
  if (claims > 0 && claims !== command.after) return []
  if (claims === 0 && command.after) throw new ClaimLost()
  if (state.claim && claims === 0) throw new IngestInProgress(state.claim.jobId)
  // Only the item that was seen dead: another request may have stored it again since.
  const isDead = state.item !== null && state.item.ingestId === command.dead
  if (state.item && !command.overwrite && !isDead && claims === 0) throw new DuplicateMedia()
  const claimed: MediaEvent = { type: 'IngestClaimed', accountId, ingestId, jobId, batchId, sha256, at }
  if (!isDead) return [claimed]
  const dead = { ingestId: command.dead!, cause: 'collection-deleted', reason: null } as const
  return [{ type: 'MediaDeleted', accountId, ...dead, lives: livesUntil(at), at }, claimed]
}

/** How often that ingest has claimed the item, as long as it has it. */
const claimsOf = ({ claim }: Media, ingestId: Uuid): number =>
  claim?.ingestId === ingestId ? claim.claims : 0

function release({ ingestId, reason, at }: CommandNamed<'ReleaseIngest'>, state: Media): MediaEvent[] {
  if (state.claim?.ingestId !== ingestId) return []
  const { jobId } = state.claim
  return [{ type: 'IngestReleased', accountId: state.accountId!, ingestId, jobId, reason, at }]
}

function record({ record, place, keepPlace }: CommandNamed<'RecordIngest'>, state: Media): MediaEvent[] {
  if (state.ended.get(record.ingestId) === 'recorded') return []
  if (state.claim?.ingestId !== record.ingestId) throw new ClaimLost()
  const accountId = state.accountId!
  if (!state.item) return [{ type: 'MediaIngested', accountId, place, ...record }]
  const previousIngestId = state.item.ingestId
  return [
    { type: 'MediaOverwritten', accountId, place: keepPlace ? null : place, previousIngestId, ...record },
  ]
}

function recordEmbedding({ record }: CommandNamed<'RecordEmbedding'>, state: Media): MediaEvent[] {
  if (state.item?.ingestId !== record.ingestId) throw new MediaNotFound()
  if (state.item.embedder === record.embedder) return []
  return [{ type: 'MediaReembedded', accountId: state.accountId!, ...record }]
}

function itemOf(
  { item, lives }: Media,
  event: Extract<MediaEvent, { type: 'MediaIngested' | 'MediaOverwritten' }>,
): ItemState {
  const { ingestId, jobId, mediaType, sha256, embedder, artifacts, place, at } = event
  const stays = item?.stays ?? []
  const last = stays.at(-1)
  // Of several processes one may be slow: what came later was later.
  const stay = { from: Math.max(at, last?.from ?? lives.at(-1)?.until ?? at), mediaType, place }
  const isTheSame = last?.mediaType === mediaType && place === null
  return {
    ingestId,
    jobId,
    mediaType,
    sha256,
    embedder,
    artifacts,
    createdAt: item?.createdAt ?? at,
    stays: isTheSame ? stays : bounded([...stays, stay]),
  }
}

/** The first says since when; where it was put does not hold for those that are left out. */
function bounded(stays: ItemState['stays']): ItemState['stays'] {
  if (stays.length <= MOST_STAYS) return stays
  return [{ ...stays[0]!, place: null }, ...stays.slice(1 - MOST_STAYS)]
}

/** What a deletion at that time says of the item. */
function livesUntil(
  at: number,
  { accountId, item, lives }: Media,
  placeIdOf: (accountId: Uuid, place: Place) => Uuid,
): PastLife[] {
  const { createdAt, stays } = item!
  const told = stays.map(({ from, mediaType, place }) => ({
    from,
    mediaType,
    placeId: place && placeIdOf(accountId!, place),
  }))
  const until = Math.max(at, stays.at(-1)!.from)
  return latest([...lives, { createdAt, until, stays: told }])
}

/** As many of the last ones as have the most stays together; of those before, that they were. */
function latest(lives: PastLife[]): PastLife[] {
  let first = lives.length
  let stays = 0
  while (first > 0 && (stays += Math.max(1, lives[first - 1]!.stays.length)) <= MOST_STAYS) first--
  if (first === 0) return lives
  return [{ createdAt: null, until: lives[first - 1]!.until, stays: [] }, ...lives.slice(first)]
}
