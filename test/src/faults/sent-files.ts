import { expect, vi } from 'vitest'
import { endedBatch, expectWholeBatch, statusesOf } from '../harness/batches.ts'
import type { Answer, Client } from '../harness/client.ts'

/** A loaded machine takes its time; what is waited for is a condition. */
export const PATIENT = { timeout: 180_000, interval: 200 }

/** A small text, sent under an Idempotency-Key that is its name. */
export interface File {
  filename: string
  bytes: string
}

export const filesOf = (name: string, count: number): File[] =>
  Array.from({ length: count }, (_, n) => ({
    filename: `${name}-${n}.txt`,
    bytes: `What ${name} tells of whales, part ${n}.`,
  }))
const namesOf = (files: readonly File[]): string[] => files.map(({ filename }) => filename)

export const send = (to: Client, { filename, bytes }: File): Promise<Answer> =>
  to.upload(filename, bytes, {}, { 'idempotency-key': filename })

/** Whoever never heard, or was refused for now, asks again under the same key, until it is answered so. */
export const answered = (ask: () => Promise<Answer>, status = 200): Promise<Answer> =>
  vi.waitFor(async () => {
    const answer = await ask()
    expect(answer.status, JSON.stringify(answer.body)).toBe(status)
    return answer
  }, PATIENT)

export const expectStored = (client: Client, files: readonly File[]): Promise<Answer[]> =>
  Promise.all(files.map((file) => answered(() => send(client, file))))

/**
 * Likewise where requests may have outlasted what is taken for the longest: such a one is given up for dead and its key is
 * free again, and what it stored nevertheless is a duplicate for the next.
 */
export const expectStoredOrKnown = (client: Client, files: readonly File[]): Promise<void[]> =>
  Promise.all(
    files.map((file) =>
      vi.waitFor(async () => {
        const { status, body } = await send(client, file)
        if (status === 200) return
        expect(body.error).toMatchObject({ code: 'DUPLICATE_FILE' })
        // Until it is released, the claim of one that came to nothing makes a duplicate of it too.
        const item = await client.request('GET', `/v1/media/${body.error.details.media_id}`)
        expect(item.status).toBe(200)
      }, PATIENT),
    ),
  )

export const expectListedOnce = (client: Client, files: readonly File[]): Promise<void> =>
  vi.waitFor(async () => {
    const { status, body } = await client.request('GET', '/v1/media?page_size=100')
    expect(status).toBe(200)
    const names: string[] = body.data.items.map(
      (item: { file_info: { filename: string } }) => item.file_info.filename,
    )
    for (const name of namesOf(files)) expect(names.filter((other) => other === name)).toEqual([name])
  }, PATIENT)

/**
 * The batch of the answer ends with these files, each of them stored: by this batch, or free of charge where one that was
 * sent under the same key before did it, and nobody heard of that.
 */
export async function expectBatchOfStored(
  client: Client,
  { body }: Answer,
  files: readonly File[],
): Promise<void> {
  const ended = await endedBatch(client, body.data.batch_id)
  expectWholeBatch(ended, namesOf(files))
  for (const status of statusesOf(ended.results)) expect(['succeeded', 'processed']).toContain(status)
}

/** The batch of the answer ends with these files, of each what it says there. */
export async function expectBatch(
  client: Client,
  { body }: Answer,
  files: readonly File[],
  statuses: readonly string[] = files.map(() => 'succeeded'),
): Promise<void> {
  const ended = await endedBatch(client, body.data.batch_id)
  expectWholeBatch(ended, namesOf(files))
  expect(statusesOf(ended.results)).toEqual(statuses)
}
