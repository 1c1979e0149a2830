import { createEmbedder, MODEL_IN_THE_BOX } from '@medialog/embedder'
import { openSession } from '@medialog/embedder/session'
import { row, type BenchRows } from './row.ts'
import { sized } from './scale.ts'

const COUNT = sized(64, 4)
const passage = (i: number): string =>
  `Passage ${i}: ${'the committee approved the annual budget. '.repeat(17)}`
const texts = Array.from({ length: COUNT }, (_, i) => passage(i))

const ROUNDS = sized(4)

async function seconds(work: () => Promise<unknown>): Promise<number> {
  const begun = performance.now()
  await work()
  return (performance.now() - begun) / 1000
}

/**
 * Embedding passages of about 130 tokens through the pool, against the bare session with one text a call. The rounds
 * take turns and the fastest counts: the machine's other work slows a round, never speeds it up.
 */
export async function* embedding(): BenchRows {
  const session = await openSession(['onnxruntime-node', 'onnxruntime-web'], MODEL_IN_THE_BOX)
  const [one, two] = await Promise.all([createEmbedder({ workers: 1 }), createEmbedder({ workers: 2 })])
  const contestants = [
    async () => {
      for (const text of texts) await session.embed(text)
    },
    () => one.embed(texts),
    () => two.embed(texts),
  ]
  const fastest = contestants.map(() => Infinity)
  // The first round opens the sessions that the load calls for, and does not count.
  for (let round = 0; round <= ROUNDS; round++)
    for (const [index, work] of contestants.entries()) {
      const taken = await seconds(work)
      if (round > 0) fastest[index] = Math.min(fastest[index]!, taken)
    }
  await Promise.all([session.release(), one.close(), two.close()])
  const [baseline, ...measured] = fastest.map((taken) => COUNT / taken) as [number, number, number]
  yield* ['1 worker', '2 workers'].map((name, index) =>
    row(`embedding, ${name} against the bare session`, baseline, measured[index]!, 'texts/s'),
  )
}
