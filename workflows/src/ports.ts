import type { Dependencies } from '@medialog/application'

/** What the ingest saga stands on. */
export type IngestPorts = Pick<
  Dependencies,
  | 'clock'
  | 'eventStore'
  | 'streams'
  | 'background'
  | 'artifacts'
  | 'staging'
  | 'understanding'
  | 'catalog'
  | 'projections'
  | 'settings'
>

export type RecoveryPorts = IngestPorts & Pick<Dependencies, 'work'>
