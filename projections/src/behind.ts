import type { ReadModelStatus } from '@medialog/application/ports'
import type { LogPosition } from '@medialog/kernel'
import type { Log } from './ports.ts'

/** Counting stops there: reading more of the log for a number would hold up catching up. */
const COUNTED = 10_000

/** How many events the log holds behind a position, which may skip numbers: only counting tells. */
export async function countBehind(
  log: Pick<Log, 'head' | 'readAll'>,
  position: LogPosition,
): Promise<Pick<ReadModelStatus, 'behind' | 'atLeast'>> {
  let behind = 0
  if ((await log.head()) > position) for await (const _ of log.readAll(position, { limit: COUNTED })) behind++
  return { behind, atLeast: behind === COUNTED }
}
