import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { itemVectors, project } from './vectors.ts'

const dot = (a: Float32Array, b: Float32Array): number => a.reduce((sum, x, i) => sum + x * b[i]!, 0)

/** Unit vectors whose numbers look random and are the same in every run. */
function pseudoRandom(seed: number, dimensions = 384): Float32Array {
  let state = seed * 2_654_435_761 + 1
  const raw = Float32Array.from({ length: dimensions }, () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
    return state / 1_073_741_824 - 1
  })
  const length = Math.sqrt(dot(raw, raw))
  return raw.map((x) => x / length)
}

const texts = (...lengths: number[]) => lengths.map((length) => ({ text: 'x'.repeat(length) }))

test('combined and short are unit vectors; the head counts for 0.2, long passages more than short ones', () => {
  const vectors = [1, 2, 3].map((seed) => pseudoRandom(seed))
  const item = itemVectors('m', vectors, texts(10, 600, 100))
  expect(item).toMatchObject({ model: 'm', dimensions: 384, chunks: vectors })
  expect(dot(item.combined, item.combined)).toBeCloseTo(1, 6)
  expect(item.short).toHaveLength(64)
  expect(dot(item.short, item.short)).toBeCloseTo(1, 6)
  const near = vectors.map((vector) => dot(item.combined, vector))
  expect(near[1]).toBeGreaterThan(near[0]!)
  expect(near[0]).toBeGreaterThan(near[2]!)
})

test('an item that is a head alone is its head', () => {
  const head = pseudoRandom(7)
  const { combined } = itemVectors('m', [head], texts(4))
  expect(dot(combined, head)).toBeCloseTo(1, 6)
})

test('chunks that cancel out leave the head; a vector per chunk is asked for', () => {
  const head = pseudoRandom(7)
  const zero = new Float32Array(384)
  expect(itemVectors('m', [zero], texts(4)).combined).toBe(zero)
  expect(() => itemVectors('m', [head], texts(1, 2))).toThrow(RangeError)
  expect(() => itemVectors('m', [], [])).toThrow(RangeError)
})

test('the projection is the same for ever and keeps angles', () => {
  const bytes = new Uint8Array(project(pseudoRandom(1), 64).buffer)
  expect(createHash('sha256').update(bytes).digest('hex')).toMatchInlineSnapshot(
    `"04abedc07100256fcf64acf2ae832edc610b69e4887fa671b196727636598d8a"`,
  )
  let worst = 0
  for (let seed = 1; seed < 60; seed++) {
    const [a, b] = [pseudoRandom(seed), pseudoRandom(seed + 1)]
    const mixed = a.map((x, i) => 0.8 * x + 0.6 * b[i]!)
    const [{ short: s }, { short: t }] = [
      itemVectors('m', [a], texts(1)),
      itemVectors('m', [mixed], texts(1)),
    ]
    worst = Math.max(worst, Math.abs(dot(s, t) - dot(a, mixed) / Math.sqrt(dot(mixed, mixed))))
  }
  expect(worst).toBeLessThan(0.35)
})
