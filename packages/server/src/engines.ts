import type { Ports, ErasureLedger, LogLeaves } from '@medialog/application'

/** The ports that engines fill, whichever they are. */
export interface Engines extends Omit<
  Ports,
  | 'streams'
  | 'background'
  | 'orchestrator'
  | 'publishing'
  | 'sentElsewhere'
  | 'settings'
  | 'logTree'
  | 'accountEvents'
  | 'webhooks'
> {
  leaves: LogLeaves
  /** By what the kernel holds the processes that read files, in words. */
  sandbox: string
  erasures: ErasureLedger
  /** Erased rows that still take up space in the catalog. */
  tombstones(): { items: number; bytes: number }
  /** Resolves once no file of the read models holds what was removed from them. */
  flushErased(): Promise<void>
  close(): Promise<void>
}
