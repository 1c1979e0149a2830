import type { EventStore, ReadModelStore } from '@medialog/application/ports'
import type { Projection, ProjectionContext } from './projection.ts'

/** The log as projections read it. */
export type Log = Pick<EventStore, 'read' | 'readAll' | 'subscribe' | 'head'>

/** A read model with the projection that fills it. */
export interface Projected<Change> {
  projection: Projection<Change>
  store: ReadModelStore<Change>
}

export interface ProjectionLogger {
  info(details: object, message: string): void
  warn(details: object, message: string): void
  error(details: object, message: string): void
}

/** What every projection stands on. */
export interface HostPorts extends ProjectionContext {
  log: Log
  logger: ProjectionLogger
}
