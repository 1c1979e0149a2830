import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'vitest'
import type { Answer, Client } from './client.ts'

const ENDED = ['completed', 'failed', 'cancelled']
const PRICE = 0.04

export const nano = (usd: number): number => Math.round(usd * 1e9)

export const readBatch = async (client: Client, id: string): Promise<Answer['body']> =>
  (await client.request('GET', `/v1/batches/${id}`)).body.data

export const resultsOf = async (client: Client, id: string): Promise<Answer['body']> =>
  (await client.request('GET', `/v1/batches/${id}/results`)).body.data

/** Waits until `holds` is true of the batch, or two minutes; asks every `intervalMs`. */
export async function batchWhere(
  client: Client,
  id: string,
  holds: (batch: Answer['body']) => boolean,
  intervalMs = 25,
): Promise<Answer['body']> {
  const until = Date.now() + 120_000
  for (;;) {
    const batch = await readBatch(client, id)
    if (holds(batch)) return batch
    if (Date.now() > until) throw new Error(`the batch stays as it is: ${JSON.stringify(batch)}`)
    await sleep(intervalMs)
  }
}

/** The batch and all its jobs once they have ended and what was not delivered is refunded. */
export async function endedBatch(
  client: Client,
  id: string,
): Promise<{ batch: Answer['body']; results: Answer['body'] }> {
  const batch = await batchWhere(
    client,
    id,
    ({ status, progress, cost }) =>
      ENDED.includes(status) &&
      progress.percent === 100 &&
      nano(cost.net) === progress.successful * nano(PRICE),
    // It stays so: whoever asks more often takes processor time from what it waits for.
    100,
  )
  return { batch, results: await resultsOf(client, id) }
}

/** What must hold of every batch that has ended: every file ended once, and only what succeeded was paid for. */
export function expectWholeBatch(
  { batch, results }: Awaited<ReturnType<typeof endedBatch>>,
  filenames: readonly string[],
): void {
  const jobs: { filename: string; status: string; media_id: string | null; error?: { code: string } }[] =
    results.job_results
  expect(jobs.map(({ filename }) => filename)).toEqual(filenames)
  expect(new Set(results.job_results.map(({ job_id }: { job_id: string }) => job_id)).size).toBe(
    filenames.length,
  )
  const succeeded = jobs.filter(({ status }) => status === 'succeeded')
  expect(nano(batch.cost.net)).toBe(succeeded.length * nano(PRICE))
  expect(batch.progress.successful).toBe(succeeded.length)
  expect(results.statistics.media_distribution.total_created_media_items).toBe(succeeded.length)
  for (const { status, media_id: id, error } of jobs) {
    expect(id === null).toBe(status === 'failed')
    expect(error !== undefined).toBe(status === 'failed')
  }
}

export const statusesOf = (results: Answer['body']): string[] =>
  results.job_results.map(
    ({ status, error }: { status: string; error?: { code: string } }) => error?.code ?? status,
  )
