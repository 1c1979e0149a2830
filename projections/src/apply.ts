import { setImmediate as letOthersRun } from 'node:timers/promises'
import type { EventStore, PositionedChange, ReadModelWriter } from '@medialog/application/ports'
import type { LogPosition, RecordedEvent } from '@medialog/kernel'
import type { Projection, ProjectionContext } from './projection.ts'

/** How many events load their artifacts at the same time. */
const LOADING = 8
/** Events read at a time when a log is replayed: whatever else the thread does waits no longer than for these. */
const PAGE = 512

/**
 * Projects the events, a batch of them in one transaction, and leaves the checkpoint at `position`. When one
 * cannot be projected, those before it are applied, then its error is thrown.
 */
export async function applyEvents<Change>(
  projection: Projection<Change>,
  context: ProjectionContext,
  writer: Pick<ReadModelWriter<Change>, 'applyBatch'>,
  events: readonly RecordedEvent[],
  position: LogPosition,
): Promise<void> {
  let end = 0
  do {
    const start = end
    end = endOfBatch(projection, events, start)
    const part = events.slice(start, end)
    const { changes, failed } = await projectAll(projection, context, part)
    const applied = failed ? part.slice(0, failed.index) : part
    const complete = !failed && end >= events.length
    const checkpoint = complete ? position : applied.at(-1)?.position
    if (checkpoint !== undefined) {
      const last = applied.at(-1)
      await writer.applyBatch(changes, checkpoint, last?.position === checkpoint ? last.hash : null)
    }
    if (failed) throw failed.error
  } while (end < events.length)
}

/** The end of the batch that begins at `start`: not before it, also where there is nothing. */
function endOfBatch<Change>(
  { batchSize, loads = () => true }: Projection<Change>,
  events: readonly RecordedEvent[],
  start: number,
): number {
  let left = batchSize
  let end = start
  for (; end < events.length; end++) if (loads(events[end]!) && left-- === 0) break
  return end
}

interface Failure {
  /** Of the first event that could not be projected. */
  index: number
  error: unknown
}

interface Projections<Change> {
  /** Of the events before the one that failed, in order. */
  changes: PositionedChange<Change>[]
  failed: Failure | null
}

/** Several at a time, in the order of the events whatever loads first. */
async function projectAll<Change>(
  projection: Projection<Change>,
  context: ProjectionContext,
  events: readonly RecordedEvent[],
): Promise<Projections<Change>> {
  const changesOf: (readonly Change[])[] = []
  const failures: Failure[] = []
  const entries = events.entries()
  const work = async (): Promise<void> => {
    for (const [index, event] of entries) {
      if (failures.length > 0) return
      try {
        const changes = projection.project(event, context)
        changesOf[index] = changes instanceof Promise ? await changes : changes
      } catch (error) {
        failures.push({ index, error })
      }
    }
  }
  await Promise.all(Array.from({ length: Math.min(LOADING, events.length) }, work))
  const failed = failures.sort((a, b) => a.index - b.index)[0] ?? null
  const changes = events
    .slice(0, failed?.index)
    .flatMap(({ position }, index) => changesOf[index]!.map((change) => ({ position, change })))
  return { changes, failed }
}

/**
 * Applies what the log holds beyond the writer's checkpoint, up to and including `upTo` or to where the log ends.
 * Answers how many events that were. Reads with proof: of a log whose chain breaks nothing is made.
 */
export async function replay<Change>(
  projection: Projection<Change>,
  context: ProjectionContext & { log: Pick<EventStore, 'readAll'> },
  writer: ReadModelWriter<Change>,
  upTo: LogPosition,
  onPage: (position: LogPosition) => void = () => undefined,
): Promise<number> {
  let events = 0
  let page: RecordedEvent[] = []
  const applyPage = async (position: LogPosition): Promise<void> => {
    await applyEvents(projection, context, writer, page, position)
    events += page.length
    page = []
    onPage(writer.position)
    await letOthersRun()
  }
  for await (const event of context.log.readAll(writer.position, { proven: true })) {
    if (event.position > upTo) break
    page.push(event)
    if (page.length === PAGE) await applyPage(event.position)
  }
  // At the end of what there is the checkpoint is the one asked for: positions may skip numbers.
  if (writer.position < upTo) await applyPage(upTo)
  return events
}
