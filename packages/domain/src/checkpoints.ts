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

/** One key replaced another: a process that trusts the present key trusts the former one by it. */
export interface KeyHandover {
  /** Public keys, in the form of LogCheckpoint's. */
  former: string
  key: string
  /** Signed by `key`, and by `former` where that was at hand. */
  note: string
}

export type CheckpointEvent =
  | ({ type: 'LogCheckpointed'; at: number } & LogCheckpoint)
  | ({ type: 'SigningKeyReplaced'; at: number } & KeyHandover)

export type CheckpointCommand =
  | ({ type: 'RecordCheckpoint'; at: number } & LogCheckpoint)
  | ({ type: 'RecordHandover'; at: number } & KeyHandover)

export interface Checkpoints {
  last: LogCheckpoint | null
}

/** A fold needs the last one alone. */
export const CHECKPOINTS_FOLD_START = { type: 'LogCheckpointed', count: 1 } as const

export const checkpoints: Decider<CheckpointCommand, CheckpointEvent, Checkpoints> = {
  initialState: () => ({ last: null }),

  evolve(state, event) {
    if (event.type === 'SigningKeyReplaced') return state
    const { size, root, note, key } = event
    return { last: { size, root, note, key } }
  },

  decide(command, { last }) {
    // Whether it was recorded before is for the caller to know: a fold does not go back so far.
    if (command.type === 'RecordHandover') return [{ ...command, type: 'SigningKeyReplaced' }]
    const { size, root, note, key, at } = command
    // One of as many events by the same key says nothing new.
    if (last && (size < last.size || (size === last.size && key === last.key))) return []
    return [{ type: 'LogCheckpointed', size, root, note, key, at }]
  },
}
