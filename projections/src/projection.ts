import type { ArtifactStore, EventStore, StoreName } from '@medialog/application/ports'
import type { Category } from '@medialog/domain'
import type { RecordedEvent } from '@medialog/kernel'

/** What a projection may look up: nothing that could answer otherwise in a rebuild, except what was erased. */
export interface ProjectionContext {
  artifacts: Pick<ArtifactStore, 'get'>
  log: Pick<EventStore, 'read'>
}

/** From events to changes of one read model. Decides by the event alone, so that any replay says the same. */
export interface Projection<Change> {
  name: StoreName
  /** How many events are held in memory with what they load: of a projection that says which ones load, so many of those. */
  batchSize: number
  loads?: (recorded: RecordedEvent) => boolean
  /** None for events that do not concern the read model, and for those of a type that this release does not know. */
  project(recorded: RecordedEvent, context: ProjectionContext): readonly Change[] | Promise<readonly Change[]>
}

/** The projection that keeps standing at an event: wrong or missing artifacts. It goes on once they are back. */
export class ProjectionStopped extends Error {
  constructor(recorded: RecordedEvent, reason: string, options?: ErrorOptions) {
    super(`${recorded.type} at position ${recorded.position} of ${recorded.stream}: ${reason}`, options)
    this.name = 'ProjectionStopped'
  }
}

export const isOf = (category: Category, { stream }: RecordedEvent): boolean =>
  stream.startsWith(category) && stream[category.length] === '-'
