import { setTimeout as sleep } from 'node:timers/promises'
import type { Batch } from './answers.ts'
import type { Client } from './client.ts'
import { Interrupted } from './errors.ts'
import { withRetry } from './retry.ts'

const POLL_MS = 500
const ENDED = ['completed', 'failed', 'cancelled']

export const batchPath = (id: string): string => `/v1/batches/${encodeURIComponent(id)}`

/** Watches a batch until it has ended and every file of it is done. @throws Interrupted, and as `Client.call` */
export async function followBatch(
  client: Client,
  id: string,
  signal: AbortSignal,
  onChange: (batch: Batch) => void,
): Promise<Batch> {
  for (;;) {
    const { data } = await withRetry(() => client.call<Batch>('GET', batchPath(id), { signal }), {
      attempts: 5,
      signal,
    })
    onChange(data)
    if (ENDED.includes(data.status) && data.progress.percent === 100) return data
    await sleep(POLL_MS, undefined, { signal }).catch(() => {
      throw new Interrupted()
    })
  }
}
