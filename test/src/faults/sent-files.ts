import { expect, vi } from 'vitest'
import { endedBatch, expectWholeBatch, statusesOf } from '../harness/batches.ts'
import type { Answer, Client } from '../harness/client.ts'

/** A loaded machine takes its time; what is waited for is a condition. */
export const PATIENT = { timeout: 180_000, interval: 500 }

/** A small text, sent under an Idempotency-Key that is its name. */
export interface File {
  filename: string
  bytes: string
}

let made = 0

export const filesOf = (name: string, count: number): File[] =>
  Array.from({ length: count }, () => {
    const own = `${name}-${++made}`
    return { filename: `${own}.txt`, bytes: `What ${own} tells of whales.` }
  })
export const namesOf = (files: readonly File[]): string[] => files.map(({ filename }) => filename)

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

export const expectListedOnce = (client: Client, files: readonly File[]): Promise<void> =>
  vi.waitFor(async () => {
    const { status, body } = await client.request('GET', '/v1/media?page_size=100')
    expect(status).toBe(200)
    const names: string[] = body.data.items.map(
      (item: { file_info: { filename: string } }) => item.file_info.filename,
    )
    for (const name of namesOf(files)) expect(names.filter((other) => other === name)).toEqual([name])
  }, PATIENT)

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
