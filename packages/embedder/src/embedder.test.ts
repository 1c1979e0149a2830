import { spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { EngineUnavailable } from '@medialog/application/ports'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createEmbedder, type LocalEmbedder } from './embedder.ts'

const dot = (a: Float32Array, b: Float32Array): number => a.reduce((sum, x, i) => sum + x * b[i]!, 0)
const bytes = (vectors: readonly Float32Array[]): string[] =>
  vectors.map((vector) => Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength).toString('base64'))

const TEXTS = [
  'A cat sits on the mat.',
  'A kitten is resting on a rug.',
  'Quarterly revenue rose by four percent.',
  '안녕하세요 세계',
  '',
  `The committee approved the budget. ${'It was a long meeting. '.repeat(60)}`,
]

let embedder: LocalEmbedder
beforeAll(async () => {
  embedder = await createEmbedder({ runtime: 'onnxruntime-node', idleMs: 200 })
})
afterAll(() => embedder.close())

describe('vectors', () => {
  test('are 384 numbers of unit length, near where the meaning is', async () => {
    const vectors = await embedder.embed(TEXTS)
    for (const vector of vectors) {
      expect(vector).toHaveLength(embedder.dimensions)
      expect(dot(vector, vector)).toBeCloseTo(1, 5)
    }
    const [cat, kitten, revenue] = vectors as [Float32Array, Float32Array, Float32Array]
    expect(dot(cat, kitten)).toBeGreaterThan(0.5)
    expect(dot(cat, revenue)).toBeLessThan(embedder.cosineFloor)
    expect(embedder.model).toBe('all-MiniLM-L6-v2-int8-fused/onnxruntime-node')
  })

  test('are said to mean something for the share of a text that is in Latin letters', () => {
    expect(
      ['sleeping whales', 'Le pont coûtera', '2024', '회의는 언제', '배포 API'].map((text) =>
        embedder.reads(text),
      ),
    ).toEqual([1, 1, 1, 0, 0.6])
  })

  test('are the same bytes in any order, session and process', async () => {
    const first = bytes(await embedder.embed(TEXTS))
    const reversed = bytes(await embedder.embed(TEXTS.toReversed())).reverse()
    const another = await createEmbedder({ runtime: 'onnxruntime-node', workers: 1 })
    const others = bytes(await another.embed(TEXTS))
    await another.close()
    expect(reversed).toEqual(first)
    expect(others).toEqual(first)
  })

  test('of WebAssembly agree with the native ones', async () => {
    const wasm = await createEmbedder({ runtime: 'onnxruntime-web', workers: 1 })
    expect(wasm.model).toBe('all-MiniLM-L6-v2-int8-fused/onnxruntime-web')
    const [native, portable] = await Promise.all([embedder.embed(TEXTS), wasm.embed(TEXTS)])
    await wasm.close()
    for (const [index, vector] of native.entries())
      expect(dot(vector, portable[index]!)).toBeGreaterThan(0.998)
  })
})

const many = (count: number): string[] =>
  Array.from({ length: count }, (_, i) => `Document ${i}: ${'the railway line was extended. '.repeat(20)}`)

describe('the queue', () => {
  test('serves queries before documents', async () => {
    const order: string[] = []
    const documents = embedder.embed(many(12)).then(() => order.push('documents'))
    await embedder.embed(['an urgent question'], { priority: 'query' }).then(() => order.push('query'))
    await documents
    expect(order).toEqual(['query', 'documents'])
  })

  test('drops what an abort leaves waiting, and goes on', async () => {
    const abort = new AbortController()
    const begun = performance.now()
    const dropped = embedder.embed(many(2_000), { signal: abort.signal })
    abort.abort(new Error('the upload was cancelled'))
    await expect(dropped).rejects.toThrow('the upload was cancelled')
    await expect(embedder.embed(['late'], { signal: abort.signal })).rejects.toThrow('cancelled')
    await embedder.embed(['still here'])
    expect(performance.now() - begun).toBeLessThan(5_000)
  })

  test('opens a second session under load and closes it when there is no more work', async () => {
    const one = await createEmbedder({ workers: 2, idleMs: 100 })
    await one.embed(many(3))
    expect(one.pool.size).toBe(1)
    const load = one.embed(many(150))
    await expect.poll(() => one.pool.size).toBe(2)
    await load
    await expect.poll(() => one.pool.size, { timeout: 5_000 }).toBe(1)
    await one.close()
  })

  test('remembers the vectors of queries, and hands out copies', async () => {
    const [first] = await embedder.embed(['what did the committee decide?'], { priority: 'query' })
    const kept = bytes([first!])
    first!.fill(0)
    const busy = embedder.embed(many(8))
    const begun = performance.now()
    const again = await embedder.embed(['what did the committee decide?'], { priority: 'query' })
    expect(performance.now() - begun).toBeLessThan(4)
    expect(bytes(again)).toEqual(kept)
    await busy
  })
})

test('a closed embedder is unavailable', async () => {
  const closed = await createEmbedder({ workers: 1 })
  const waiting = closed.embed(many(5))
  await Promise.all([expect(waiting).rejects.toBeInstanceOf(EngineUnavailable), closed.close()])
  await expect(closed.embed(['x'])).rejects.toBeInstanceOf(EngineUnavailable)
})

const EXIT_WHILE_BUSY = fileURLToPath(new URL('./testing/exit-while-busy.ts', import.meta.url))

test('a process may exit while a text is being embedded', () => {
  expect(spawnSync(process.execPath, [EXIT_WHILE_BUSY]).status).toBe(3)
})

test('the native runtime keeps no id of this machine, by which it would tell its makers of it', () => {
  const home = mkdtempSync(join(tmpdir(), 'medialog-home-'))
  // Nothing else of this environment: on a build server, which some variables tell, it is silent by itself.
  spawnSync(process.execPath, [EXIT_WHILE_BUSY], { env: { HOME: home, PATH: process.env['PATH'] } })
  expect(readdirSync(home, { recursive: true })).toEqual([])
  rmSync(home, { recursive: true })
})
