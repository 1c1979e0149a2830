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

/** An account with items of those models. */
function parts(models: string[], { embedder = named('now'), former = [] as Embedder[] } = {}): Parts {
  const announced: string[] = []
  return {
    embedder,
    catalog: { models: async (account: string) => (account === 'ann' ? models : []) },
    formerEmbedders: {
      find: async (model: string) => former.find((one) => one.model === model) ?? null,
      close: async () => undefined,
    },
    search: { announce: (_account: string, text: string) => announced.push(text) },
    announced,
  } as unknown as Parts
}

const modelsOf = async (given: Parts, account = 'ann'): Promise<string[]> =>
  (await queryVectors(given, account, 'four')).map(({ model }) => model)

test('a text is embedded once for each embedder that the account has items of, the configured one first', async () => {
  const former = [named('before'), named('unused')]
  const vectors = await queryVectors(parts(['before', 'now'], { former }), 'ann', 'four')
  const vector = Float32Array.of(4)
  expect(vectors).toEqual([
    { model: 'now', vector, cosineFloor: 0.1 },
    { model: 'before', vector, cosineFloor: 0.1 },
  ])
  expect(await modelsOf(parts(['before'], { former }), 'bob')).toEqual(['now'])
})

test('a former embedder that is not there or fails is left out; any other fault is one', async () => {
  expect(await modelsOf(parts(['lost', 'now']))).toEqual(['now'])
  expect(await modelsOf(parts(['before'], { former: [named('before', failing(away))] }))).toEqual(['now'])
  const fault = new TypeError('a fault of our own')
  await expect(modelsOf(parts(['before'], { former: [named('before', failing(fault))] }))).rejects.toBe(fault)
})

test('without the configured one there is no search by meaning', async () => {
  await expect(modelsOf(parts([], { embedder: named('now', failing(away)) }))).rejects.toBe(away)
})

test('search hears of the words only while the vectors are being made', async () => {
  const slow: Embedder['embed'] = async () => {
    await new Promise((resolve) => setTimeout(resolve, 20))
    return [Float32Array.of(1)]
  }
  const heard = async (embed?: Embedder['embed']): Promise<string[]> => {
    const given = parts([], { embedder: named('now', embed) }) as Parts & { announced: string[] }
    await queryVectors(given, 'ann', 'four')
    return given.announced
  }
  expect(await heard(slow)).toEqual(['four'])
  expect(await heard()).toEqual([])
})
