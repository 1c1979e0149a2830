import { expect, test } from 'vitest'
import { EngineUnavailable, type Embedder } from '../ports/index.ts'
import { queryVectors } from './embedders.ts'

type Parts = Parameters<typeof queryVectors>[0]

/** Embeds a text as its own length, under that name. */
const named = (model: string, embed?: Embedder['embed']): Embedder => ({
  model,
  dimensions: 1,
  cosineFloor: 0.1,
  embed: embed ?? (async (texts) => texts.map(({ length }) => Float32Array.of(length))),
  close: async () => undefined,
})
const failing =
  (cause: Error): Embedder['embed'] =>
  () =>
    Promise.reject(cause)
const away = new EngineUnavailable('embedder', 'away')

const parts = ({ embedder = named('now'), former = [] as Embedder[] } = {}): Parts => ({
  embedder,
  formerEmbedders: {
    find: async (model: string) => former.find((one) => one.model === model) ?? null,
    close: async () => undefined,
  },
})

/** The embedders whose vectors a query has in an account with items of those models. */
const modelsOf = async (given: Parts, models: string[]): Promise<string[]> =>
  (await queryVectors(given, 'ann', 'four', models)).map(({ model }) => model)

test('a text is embedded once for each embedder that the account has items of, the configured one first', async () => {
  const former = [named('before'), named('unused')]
  const models = Promise.resolve(['before', 'now'])
  const vectors = await queryVectors(parts({ former }), 'ann', 'four', models)
  const vector = Float32Array.of(4)
  expect(vectors).toEqual([
    { model: 'now', vector, cosineFloor: 0.1 },
    { model: 'before', vector, cosineFloor: 0.1 },
  ])
  expect(await modelsOf(parts({ former }), [])).toEqual(['now'])
})

test('a former embedder that is not there or fails is left out; any other fault is one', async () => {
  expect(await modelsOf(parts(), ['lost', 'now'])).toEqual(['now'])
  expect(await modelsOf(parts({ former: [named('before', failing(away))] }), ['before'])).toEqual(['now'])
  const fault = new TypeError('a fault of our own')
  await expect(modelsOf(parts({ former: [named('before', failing(fault))] }), ['before'])).rejects.toBe(fault)
})

test('without the configured one there is no search by meaning', async () => {
  await expect(modelsOf(parts({ embedder: named('now', failing(away)) }), [])).rejects.toBe(away)
})
