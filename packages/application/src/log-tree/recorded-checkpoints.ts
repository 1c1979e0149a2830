import { decodeRecorded } from '@medialog/contract'
import { CHECKPOINTS_ID, type CheckpointEvent } from '@medialog/domain'
import { explain } from '@medialog/kernel'
import { streamName } from '../event-sourcing/streams.ts'
import { EngineUnavailable, type EventStore } from '../ports/index.ts'
import { NOWHERE, type Place } from './findings.ts'

/** An event of the stream of checkpoints, or why it cannot be read. */
export type CheckpointRecord = { place: Place } & (
  | { event: CheckpointEvent }
  | { event: null; fault: string }
)

/** Checkpoints and handovers of keys in the log, oldest first. @throws EngineUnavailable, nothing else */
export async function* recordedCheckpoints(log: Pick<EventStore, 'read'>): AsyncGenerator<CheckpointRecord> {
  const stream = streamName('checkpoints', CHECKPOINTS_ID)
  try {
    for await (const recorded of log.read(stream)) {
      const { position, revision } = recorded
      const place = { position, stream, revision }
      try {
        yield { place, event: decodeRecorded(recorded) as CheckpointEvent }
      } catch (error) {
        yield { place, event: null, fault: explain(error) }
      }
    }
  } catch (error) {
    if (error instanceof EngineUnavailable) throw error
    yield { place: { ...NOWHERE, stream }, event: null, fault: explain(error) }
  }
}
