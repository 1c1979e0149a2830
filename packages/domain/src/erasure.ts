import type { Decider, MediaType, Uuid } from '@medialog/kernel'

/** What somebody asked to be erased. */
export type ErasureSubject =
  | { kind: 'items' }
  /** That generation of it, see Place. */
  | { kind: 'collection'; collection: string; generation: number }
  | { kind: 'account' }

/** An ingest whose content is erased. Has no content but digests. */
export interface ErasedIngest {
  mediaId: Uuid
  ingestId: Uuid
  mediaType: MediaType
  /** Hex, of the file that was uploaded. */
  sha256: string
  /** By name: hex SHA-256 of what was kept of it. */
  artifacts: { [name: string]: string }
}

/** Its erasure in one store. */
export interface ErasedStore {
  store: 'log' | 'artifacts' | 'read models' | 'kept answers' | 'published events'
  /** For people: how it was erased there, and what stays. */
  how: string
}

/** Stream `erasure-<uuid>`: something that is to be gone for good, with a receipt. Times are milliseconds since the epoch. */
export type ErasureEvent =
  | {
      type: 'ErasureRequested'
      accountId: Uuid
      subject: ErasureSubject
      ingests: ErasedIngest[]
      at: number
    }
  /** What turned out to belong to it, named before it was deleted. */
  | { type: 'ErasureExtended'; accountId: Uuid; ingests: ErasedIngest[]; at: number }
  /** None of it is left in the stores. `digest`: hex SHA-256 over the ids of its ingests, sorted, a line each. */
  | {
      type: 'ErasureCompleted'
      accountId: Uuid
      ingests: number
      digest: string
      stores: ErasedStore[]
      at: number
    }

export type ErasureCommand = { at: number } & (
  | { type: 'RequestErasure'; accountId: Uuid; subject: ErasureSubject; ingests: ErasedIngest[] }
  /** Those of them that are not named yet. Nothing happens where no erasure is open. */
  | { type: 'ExtendErasure'; ingests: ErasedIngest[] }
  | { type: 'CompleteErasure'; digest: string; stores: ErasedStore[] }
)

export interface RequestedErasure {
  status: 'unknown' | 'open' | 'completed'
  accountId: Uuid | null
  subject: ErasureSubject | null
  /** Ids of the ingests named so far, each with its item's. */
  ingests: Map<Uuid, Uuid>
}

export const erasure: Decider<ErasureCommand, ErasureEvent, RequestedErasure> = {
  initialState: () => ({ status: 'unknown', accountId: null, subject: null, ingests: new Map() }),

  evolve(state, event) {
    if (event.type === 'ErasureCompleted')
      return { ...state, accountId: event.accountId, status: 'completed' }
    for (const { ingestId, mediaId } of event.ingests) state.ingests.set(ingestId, mediaId)
    if (event.type === 'ErasureExtended') return state
    return { ...state, status: 'open', accountId: event.accountId, subject: event.subject }
  },

  decide(command, state) {
    const { at } = command
    if (command.type === 'RequestErasure') {
      const { accountId, subject, ingests } = command
      return state.status === 'unknown' ? [{ type: 'ErasureRequested', accountId, subject, ingests, at }] : []
    }
    if (state.status !== 'open') return []
    const accountId = state.accountId!
    if (command.type === 'CompleteErasure') {
      const { digest, stores } = command
      return [{ type: 'ErasureCompleted', accountId, ingests: state.ingests.size, digest, stores, at }]
    }
    const ingests = command.ingests.filter(({ ingestId }) => !state.ingests.has(ingestId))
    return ingests.length > 0 ? [{ type: 'ErasureExtended', accountId, ingests, at }] : []
  },
}
