import type { PositionedChange } from '@medialog/application/ports'
import type { RecordedEvent } from '@medialog/kernel'
import type { Projection } from '../projection.ts'

/** These read models look nothing up. */
const NOTHING = { artifacts: { get: async () => null }, log: { async *read() {} } }

/** What the events change, without the host. */
export async function projectedBatch<Change>(
  projection: Projection<Change>,
  events: readonly RecordedEvent[],
): Promise<PositionedChange<Change>[]> {
  const changes = await Promise.all(
    events.map(async (event) =>
      (await projection.project(event, NOTHING)).map((change) => ({ position: event.position, change })),
    ),
  )
  return changes.flat()
}
