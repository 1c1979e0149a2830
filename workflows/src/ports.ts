import type { Ports } from '@medialog/application'

/** What the ingest saga uses. */
export type IngestPorts = Pick<
  Ports,
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

export type RecoveryPorts = IngestPorts & Pick<Ports, 'work'>
