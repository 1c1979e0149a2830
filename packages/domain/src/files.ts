import type { Decider, Uuid } from '@medialog/kernel'

/** What the file of a job was called. */
export interface FileName {
  jobId: Uuid
  filename: string
}

/**
 * Stream `files-<batch>`: the names of a batch's files, in a stream of their own, since a name is erased with its item and
 * the rest of the batch is not. Times are milliseconds since the epoch.
 */
export type FilesEvent =
  | { type: 'FilesNamed'; accountId: Uuid; names: FileName[]; at: number }
  /** All before goes; `names` are those that stay. */
  | { type: 'FileNamesErased'; accountId: Uuid; names: FileName[]; at: number }

export type FilesCommand = { accountId: Uuid; at: number } & (
  | { type: 'NameFiles'; names: FileName[] }
  /** `jobIds` null: of all, with the account. */
  | { type: 'EraseFileNames'; jobIds: readonly Uuid[] | null }
)

/** By job; null before they were named. */
export type Files = ReadonlyMap<Uuid, string> | null

export const files: Decider<FilesCommand, FilesEvent, Files> = {
  initialState: () => null,

  evolve: (_, { names }) => new Map(names.map(({ jobId, filename }) => [jobId, filename])),

  decide(command, state) {
    const { type, accountId, at } = command
    if (type === 'NameFiles')
      return state === null ? [{ type: 'FilesNamed', accountId, names: command.names, at }] : []
    const erased = new Set(command.jobIds ?? state?.keys())
    if (!state?.keys().some((jobId) => erased.has(jobId))) return []
    const names = [...state].flatMap(([jobId, filename]) => (erased.has(jobId) ? [] : { jobId, filename }))
    return [{ type: 'FileNamesErased', accountId, names, at }]
  },
}
