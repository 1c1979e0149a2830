import { expect, test } from 'vitest'
import type { Batch } from './answers.ts'
import { followBatch } from './batches.ts'
import type { Client } from './client.ts'
import { Unreachable } from './errors.ts'

const NEVER = new AbortController().signal
const nobody = new Unreachable('nobody', 'No server answers.', 'Start one.')
const batchAt = (percent: number) =>
  ({ status: percent === 100 ? 'completed' : 'running', progress: { percent } }) as Batch

/** Follows a batch that is answered, look after look, with these; what was seen of it, and how it ended. */
async function follow(...answers: (Batch | Error)[]): Promise<{ seen: number[]; end: unknown }> {
  const seen: number[] = []
  const client = {
    async call() {
      const answer = answers.shift()!
      if (answer instanceof Error) throw answer
      return { status: 200, message: '', metadata: {}, data: answer }
    },
  } as Partial<Client> as Client
  const end = await followBatch(client, 'batch_1', NEVER, ({ progress }) =>
    seen.push(progress.percent),
  ).catch((error: unknown) => error)
  return { seen, end }
}

test('a batch is followed over a restart of the server', async () => {
  const { seen, end } = await follow(batchAt(20), nobody, batchAt(20), batchAt(100))
  expect([seen, end]).toEqual([[20, 20, 100], batchAt(100)])
})

test('where no server was there to begin with, that is said at once', async () => {
  expect(await follow(nobody)).toEqual({ seen: [], end: nobody })
})
