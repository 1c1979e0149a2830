import { countAfter } from '@medialog/application/core/count-after'
import type { ReadModelStatus } from '@medialog/application/ports'
import type { LogPosition } from '@medialog/kernel'
import type { Log } from './ports.ts'

/** Counting stops there: reading more of the log for a number would hold up catching up. */
const COUNTED = 10_000

/** How many events the log holds that a read model at the position has not. */
export async function countBehind(
  log: Pick<Log, 'head' | 'subscribe'>,
  position: LogPosition,
): Promise<Pick<ReadModelStatus, 'behind' | 'atLeast'>> {
  const { count, atLeast } = await countAfter(log, position, COUNTED)
  return { behind: count, atLeast }
}
