import type { FolderScan, Trace } from './scan-folder.ts'

/** What `audit erasure` answers. */
export interface ErasureAudit {
  erasure_id: string
  intact: boolean
  /** `good`, or why not. */
  signature: string
  /** What should be gone and is not, as far as it is listed. */
  found: number
  traces: Trace[]
  /** Null where the data folder is not on this machine. */
  folder: FolderScan | null
  /** The server's stores, as it describes them; null: it was not asked. */
  stores: { store: string; how: string }[] | null
  /** Why the log does not have the erasure; null: it has it, or was not asked. */
  not_recorded: string | null
  /** What could not be looked at, and why. */
  not_scanned: string[]
}
