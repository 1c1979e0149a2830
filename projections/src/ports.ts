import type { EventStore, ReadModelStore } from '@medialog/application/ports'
import type { Projection, ProjectionContext } from './projection.ts'

/** The log as projections read it. */
export type Log = Pick<EventStore, 'read' | 'readAll' | 'subscribe' | 'head'>

/** A read model with the projection that fills it. */
export interface Projected<Change> {
  projection: Projection<Change>
  store: ReadModelStore<Change>
}

/** One among several: what a projection and its store pass each other is private to them. */
export const projectedInto = <Change>(
  projection: Projection<Change>,
  store: ReadModelStore<Change>,
): Projected<never> => ({ projection, store }) satisfies Projected<Change> as unknown as Projected<never>

export interface ProjectionLogger {
  info(details: object, message: string): void
  warn(details: object, message: string): void
  error(details: object, message: string): void
}

/** What every projection uses. */
export interface HostPorts extends ProjectionContext {
  log: Log
  logger: ProjectionLogger
}
