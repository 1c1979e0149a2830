import { decodeRecorded } from '@medialog/contract'
import { CHECKPOINTS_ID, type CheckpointEvent } from '@medialog/domain'
import type { RecordedEvent } from '@medialog/kernel'
import { streamName } from '../event-sourcing/streams.ts'
import type { EventStore } from '../ports/index.ts'

/** The checkpoints that the log holds, oldest first, each with the place of its event. */
export async function* recordedCheckpoints(
  log: Pick<EventStore, 'read'>,
): AsyncGenerator<CheckpointEvent & Pick<RecordedEvent, 'position' | 'stream' | 'revision'>> {
  for await (const recorded of log.read(streamName('checkpoints', CHECKPOINTS_ID))) {
    const { position, stream, revision } = recorded
    yield { ...(decodeRecorded(recorded) as CheckpointEvent), position, stream, revision }
  }
}
