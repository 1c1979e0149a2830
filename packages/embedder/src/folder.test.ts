import { copyFile, mkdtemp, rm, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import type { LocalEmbedder } from './embedder.ts'
import { openModelFolder, readModelFolder, UnusableModel } from './folder.ts'
import { createFormerEmbedders } from './former.ts'
import { MODEL_IN_THE_BOX } from './model.ts'
import { gatherModel, writeTinyModel } from './testing/tiny-model.ts'

vi.setConfig({ testTimeout: 120_000 })

let root: string
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'medialog-model-'))
})
afterAll(() => rm(root, { recursive: true }))

const dot = (a: Float32Array, b: Float32Array): number => a.reduce((sum, x, i) => sum + x * b[i]!, 0)

async function using<T>(opening: Promise<LocalEmbedder>, work: (embedder: LocalEmbedder) => Promise<T>) {
  const embedder = await opening
  try {
    return await work(embedder)
  } finally {
    await embedder.close()
  }
}

describe('a model in a folder', () => {
  test('embeds as its description says, under a name of its own', async () => {
    const folder = await writeTinyModel(join(root, 'tiny'), { dimensions: 24, cosineFloor: 0.2 })
    await using(openModelFolder(folder), async (embedder) => {
      expect(embedder).toMatchObject({ dimensions: 24, cosineFloor: 0.2 })
      expect(embedder.model).toMatch(/^tiny@[0-9a-f]{8}\/onnxruntime-(node|web)$/)
      const [whale, again, bridge] = await embedder.embed([
        'the whale sleeps',
        'the whale sleeps',
        'a stone bridge',
      ])
      expect(dot(whale!, whale!)).toBeCloseTo(1, 5)
      expect([...whale!]).toEqual([...again!])
      expect(dot(whale!, bridge!)).toBeLessThan(0.9)
    })
  })

  test('says a prefix before what it embeds, another for queries', async () => {
    const folder = await writeTinyModel(join(root, 'prefixed'), {
      prefix: { query: 'whale ', document: 'bridge ' },
    })
    await using(openModelFolder(folder), async (embedder) => {
      const [query] = await embedder.embed(['stone'], { priority: 'query' })
      const [document] = await embedder.embed(['stone'])
      await using(openModelFolder(await writeTinyModel(join(root, 'bare'))), async (bare) => {
        const [asQuery, asDocument] = await bare.embed(['whale stone', 'bridge stone'])
        expect([...query!]).toEqual([...asQuery!])
        expect([...document!]).toEqual([...asDocument!])
      })
    })
  })

  test('the one in the box gives the same vectors from a folder', async () => {
    const folder = join(root, 'box')
    await writeTinyModel(folder)
    const { onnx, weights } = MODEL_IN_THE_BOX
    await copyFile(onnx, join(folder, 'model.onnx'))
    await copyFile(weights!, join(folder, 'model.onnx_data'))
    const { dimensions, pooling } = MODEL_IN_THE_BOX
    await describeAs(folder, { dimensions, pooling })
    const model = await readModelFolder(folder)
    const box = createFormerEmbedders({ models: [MODEL_IN_THE_BOX] })
    await using(openModelFolder(folder), async (embedder) => {
      const runtime = embedder.model.slice(model.name.length)
      const original = (await box.find(MODEL_IN_THE_BOX.name + runtime))!
      const texts = ['how whales sleep', 'déjà vu: 고래']
      expect((await embedder.embed(texts)).map((vector) => [...vector])).toEqual(
        (await original.embed(texts)).map((vector) => [...vector]),
      )
    })
    await box.close()
  })

  test('has another name when anything changes that its vectors depend on, and the same for another floor', async () => {
    const folder = join(root, 'named')
    const nameOf = async (tiny: Parameters<typeof writeTinyModel>[1]) =>
      (await readModelFolder(await writeTinyModel(folder, tiny))).name
    const first = await nameOf({})
    expect(await nameOf({ cosineFloor: 0.4 })).toBe(first)
    const others = [
      await nameOf({ name: 'other' }),
      await nameOf({ dimensions: 32 }),
      await nameOf({ prefix: { query: 'query: ' } }),
    ]
    await writeTinyModel(folder)
    await writeFile(join(folder, 'vocab.txt'), '[UNK]\n[CLS]\n[SEP]\nwhale\n')
    others.push((await readModelFolder(folder)).name)
    await writeTinyModel(folder)
    await writeFile(join(folder, 'model.onnx_data'), 'weights')
    others.push((await readModelFolder(folder)).name)
    expect(new Set([first, ...others]).size).toBe(6)
  })
})

describe('a folder that cannot be used is refused in one line that says why', () => {
  let folders = 0
  async function refusal(spoil: (folder: string) => Promise<unknown>): Promise<string> {
    const folder = await writeTinyModel(join(root, `bad ${folders++}`))
    await spoil(folder)
    const error = await openModelFolder(folder).then(
      (embedder) => embedder.close(),
      (error: unknown) => error,
    )
    expect(error).toBeInstanceOf(UnusableModel)
    const { message } = error as Error
    expect(message).toContain(`the model in ${folder} cannot be used: `)
    expect(message).not.toContain('\n')
    return message
  }

  test.each(['model.onnx', 'vocab.txt', 'embedder.json'])('without %s', async (name) => {
    expect(await refusal((folder) => rm(join(folder, name)))).toContain(`${name} is missing`)
  })

  test.each([
    [{ dimensions: 7 }, 'embedder.json, dimensions: '],
    [{ dimensions: '48' }, 'embedder.json, dimensions: '],
    [{ pooling: 'max' }, 'embedder.json, pooling: '],
    [{ cosine_floor: 1 }, 'embedder.json, cosine_floor: '],
    [{ max_tokens: 1e9 }, 'embedder.json, max_tokens: '],
    [{ name: '../up' }, 'embedder.json, name: must be 1 to 100 letters'],
    [{ colour: 'red' }, 'embedder.json, as a whole: '],
    [{ dimensions: 64 }, 'its output has the shape [1, '],
    [{ pooling: 'none' }, 'its output has the shape [1, '],
  ])('with %o', async (change, message) => {
    expect(await refusal((folder) => describeAs(folder, change))).toContain(message)
  })

  test.each([
    ['embedder.json', '{"name": ', 'embedder.json is not JSON'],
    ['model.onnx', 'no model at all', 'no ONNX Runtime works here'],
    ['vocab.txt', 'whale\nbridge\n', 'the vocabulary has no [UNK]'],
    ['tokenizer.json', '{"model": {}}', 'cannot be used: '],
    ['tokenizer.json', '[', 'JSON'],
  ])('with a %s that reads %s', async (name, text, message) => {
    expect(await refusal((folder) => writeFile(join(folder, name), text))).toContain(message)
  })

  test('with a vocabulary that the model does not know', async () => {
    // The ids of the words are beyond the rows of its table.
    expect(await refusal((folder) => writeFile(join(folder, 'model.onnx'), gatherModel(50, 48)))).toContain(
      'ndices',
    )
  })

  test('with a file that is too large', async () => {
    const large = await refusal((folder) => truncate(join(folder, 'model.onnx'), 2 ** 30 + 1))
    expect(large).toContain('model.onnx has 1073741825 bytes, and 1073741824 are the most')
  })

  test('where there is none', async () => {
    await expect(readModelFolder(join(root, 'nowhere'))).rejects.toThrow('embedder.json is missing')
  })
})

describe('former embedders', () => {
  test('are found by the name of their vectors, opened once, and null where they are not here', async () => {
    const former = await readModelFolder(await writeTinyModel(join(root, 'former'), { name: 'former' }))
    const unusable: string[] = []
    const embedders = createFormerEmbedders({
      models: [former, { ...former, name: 'spoilt', onnx: join(root, 'nowhere.onnx') }],
      onUnusable: (model) => unusable.push(model),
    })
    const name = `${former.name}/onnxruntime-web`
    const [one, two] = await Promise.all([embedders.find(name), embedders.find(name)])
    expect(one).toBe(two)
    expect(one!.model).toBe(name)
    expect(await embedders.find('spoilt/onnxruntime-web')).toBeNull()
    expect(await embedders.find('spoilt/onnxruntime-web')).toBeNull()
    expect(await embedders.find('unheard-of')).toBeNull()
    expect(unusable).toEqual(['spoilt/onnxruntime-web'])
    await embedders.close()
  })
})

const describeAs = (folder: string, change: object): Promise<void> =>
  writeFile(
    join(folder, 'embedder.json'),
    JSON.stringify({
      name: 'tiny',
      dimensions: 48,
      pooling: 'mean',
      max_tokens: 256,
      cosine_floor: 0.3,
      ...change,
    }),
  )
