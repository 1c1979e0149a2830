import type { LogPosition } from '@medialog/kernel'
import type { EventStore } from '../ports/index.ts'

const COUNTING_MS = 5_000

/**
 * How many events the log holds after a position: positions may skip numbers, so only counting tells. Counting stops at
 * `most`, and after 5 s. A subscription counts, because a server leaves out there what other programs wrote.
 */
export async function countAfter(
  log: Pick<EventStore, 'head' | 'subscribe'>,
  position: LogPosition,
  most: number,
): Promise<{ count: number; atLeast: boolean }> {
  const head = await log.head()
  if (head <= position) return { count: 0, atLeast: false }
  let count = 0
  const batches = log.subscribe(position, { signal: AbortSignal.timeout(COUNTING_MS) })
  for await (const { events, position: reached } of batches) {
    count += events.length
    if (count >= most) break
    if (reached >= head) return { count, atLeast: false }
  }
  return { count: Math.min(count, most), atLeast: true }
}
