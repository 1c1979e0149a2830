import type { Decider } from '@medialog/kernel'

/** The one stream of its category: `checkpoints-log`, the operator's. */
export const CHECKPOINTS_ID = 'log'

/** What was signed of the tree over all events, see CheckpointEvent. */
export interface LogCheckpoint {
  /** How many events, from the first on. */
  size: number
  /** Root of the tree over them, hex. */
  root: string
  /** The signed note: what is exported. */
  note: string
  /** The public key that proves it, in the form that verifiers of signed notes take. */
  key: string
}

export type CheckpointEvent = { type: 'LogCheckpointed'; at: number } & LogCheckpoint

export type CheckpointCommand = { type: 'RecordCheckpoint'; at: number } & LogCheckpoint

export interface Checkpoints {
  last: LogCheckpoint | null
}

/** A fold needs the last one alone. */
export const CHECKPOINTS_FOLD_START = { type: 'LogCheckpointed', count: 1 } as const

export const checkpoints: Decider<CheckpointCommand, CheckpointEvent, Checkpoints> = {
  initialState: () => ({ last: null }),

  evolve(_state, { size, root, note, key }) {
    return { last: { size, root, note, key } }
  },

  decide({ size, root, note, key, at }, { last }) {
    // One of as many events by the same key says nothing new.
    if (last && (size < last.size || (size === last.size && key === last.key))) return []
    return [{ type: 'LogCheckpointed', size, root, note, key, at }]
  },
}
