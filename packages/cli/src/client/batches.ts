import { setTimeout as sleep } from 'node:timers/promises'
import type { Batch } from './answers.ts'
import type { Client } from './client.ts'
import { Interrupted } from './errors.ts'
import { withRetry } from './retry.ts'

const POLL_MS = 500
const ENDED = ['completed', 'failed', 'cancelled']

export const batchPath = (id: string): string => `/v1/batches/${encodeURIComponent(id)}`

/** A server that was there is waited for about a minute. */
const ATTEMPTS = 7

/**
 * Watches a batch until it has ended and every file of it is done, over restarts of the server too.
 * @throws Interrupted, and as `Client.call`
 */
export async function followBatch(
  client: Client,
  id: string,
  signal: AbortSignal,
  onChange: (batch: Batch) => void,
): Promise<Batch> {
  for (let looks = 0; ; looks++) {
    const { data } = await withRetry(() => client.call<Batch>('GET', batchPath(id), { signal }), {
      attempts: ATTEMPTS,
      signal,
      restarting: looks > 0,
    })
    onChange(data)
    if (ENDED.includes(data.status) && data.progress.percent === 100) return data
    await sleep(POLL_MS, undefined, { signal }).catch(() => {
      throw new Interrupted()
    })
  }
}
