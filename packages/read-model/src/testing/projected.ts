import { encodeEvent } from '@medialog/contract'
import type { Category, EventsOf } from '@medialog/domain'
import {
  isoTime,
  type EventMetadata,
  type LogPosition,
  type RecordedEvent,
  type StreamName,
} from '@medialog/kernel'

/** A read model under test with the projection that fills it, empty at first: what every engine's factory makes. */
export interface ProjectedEngine<Port> {
  port: Port
  /** Projects and applies these events as one batch; resolves once readers see them. */
  apply(events: readonly RecordedEvent[]): Promise<void>
  close(): Promise<void>
}

export type ProjectedEngineFactory<Port> = () => Promise<ProjectedEngine<Port>>

const NOW = Date.parse('2026-11-20T10:00:00Z')

/** Records events one position after the other, as a log would tell them. */
export function recorderOf({ apply }: { apply: ProjectedEngine<unknown>['apply'] }) {
  const revisions = new Map<StreamName, number>()
  let position: LogPosition = 0

  function recorded<C extends Category>(
    category: C,
    id: string,
    event: EventsOf[C],
    at = NOW,
    metadata: Partial<EventMetadata> = {},
  ): RecordedEvent {
    const stream: StreamName = `${category}-${id}`
    const revision = (revisions.get(stream) ?? -1) + 1
    revisions.set(stream, revision)
    position++
    return {
      id: `${position}`.padStart(8, '0') + '-0000-4000-8000-000000000000',
      ...encodeEvent(event),
      stream,
      revision,
      position,
      prev: '',
      hash: '',
      metadata: { timestamp: isoTime(at), actor: 'system', ...metadata },
    }
  }

  return {
    async record<C extends Category>(
      category: C,
      id: string,
      ...events: EventsOf[C][]
    ): Promise<LogPosition> {
      await apply(events.map((event) => recorded(category, id, event)))
      return position
    },

    /** With the actor and the cause that the event names. Answers its position. */
    async recordFor<C extends Category>(
      metadata: Partial<EventMetadata>,
      category: C,
      id: string,
      event: EventsOf[C],
    ): Promise<LogPosition> {
      await apply([recorded(category, id, event, NOW, metadata)])
      return position
    },

    /** Decided at that time, in milliseconds since the epoch. */
    async recordAt<C extends Category>(
      at: number,
      category: C,
      id: string,
      event: EventsOf[C],
    ): Promise<void> {
      await apply([recorded(category, id, event, at)])
    },

    /** Several streams in one batch, which comes twice. */
    async recordTwice<C extends Category>(...entries: [C, string, EventsOf[C]][]): Promise<LogPosition> {
      const batch = entries.map(([category, id, event]) => recorded(category, id, event))
      await apply(batch)
      await apply(batch)
      return position
    },
  }
}
