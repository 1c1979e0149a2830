import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { unit, vector } from '../testing/items.ts'
import { compileKernel } from './compile-kernel.ts'
import { columnsFor, FARTHEST } from './columns.ts'
import { encodeVectors, ONE } from './fixed-point.ts'
import { BLOCK_BYTES, MEMORY_BYTES, VectorMemory } from './vector-memory.ts'
import { mostVectors, Vectors } from './vectors.ts'

function cosines(vectors: Vectors, slots: readonly number[]): number[] {
  const products = new Int32Array(slots.length)
  vectors.multiply(Uint32Array.from(slots), products)
  return Array.from(products, (product) => product / (ONE * ONE))
}

test('kernel.wasm is what kernel.wat says', async () => {
  const checkedIn = readFileSync(new URL('kernel.wasm', import.meta.url))
  expect(Buffer.compare(checkedIn, Buffer.from(await compileKernel()))).toBe(0)
})

describe.each([16, 384, 400, 1024])('vectors of %i dimensions', (dimensions) => {
  const SLOTS = 3000
  const all = Array.from({ length: SLOTS }, (_, slot) => vector(`slot ${slot}`, dimensions))
  const query = vector('query', dimensions)
  const vectors = new Vectors(new VectorMemory(), dimensions)
  all.forEach((one, slot) => vectors.set(slot, encodeVectors([one], dimensions)))
  vectors.ask(query)

  test('cosines are those of the floats to within 10⁻⁴', () => {
    const slots = [0, 1, 1500, SLOTS - 1]
    const found = cosines(vectors, slots)
    slots.forEach((slot, at) => {
      const exact = all[slot]!.reduce((sum, value, index) => sum + value * query[index]!, 0)
      expect(Math.abs(found[at]! - exact)).toBeLessThan(1e-4)
    })
  })

  test('distances add up what the query has where the signs differ', () => {
    const distances = new Uint16Array(SLOTS - 5)
    vectors.measure(5, distances)
    const sum = (values: Float32Array) => values.reduce((total, value) => total + Math.abs(value), 0)
    const fours = Array.from({ length: dimensions / 4 }, (_, four) =>
      sum(query.subarray(four * 4, four * 4 + 4)),
    )
    const step = Math.max(...fours) / 31
    for (const slot of [5, 31, 32, 700, 1501, SLOTS - 1]) {
      const differing = sum(query.filter((value, index) => value > 0 !== all[slot]![index]! > 0))
      // Each four is rounded.
      expect(Math.abs(distances[slot - 5]! - differing / step)).toBeLessThan(fours.length / 2 + 1)
    }
  })

  test('a slot is as far whatever is measured with it', () => {
    const whole = new Uint16Array(SLOTS)
    vectors.measure(0, whole)
    for (const [first, count] of [
      [0, 1],
      [31, 2],
      [33, 31],
      [1270, 200],
      [SLOTS - 1, 1],
    ] as const) {
      const part = new Uint16Array(count)
      vectors.measure(first, part)
      expect([...part]).toEqual([...whole.subarray(first, first + count)])
    }
  })

  test('a vector set to null has a cosine of 0 with everything', () => {
    vectors.set(7, null)
    expect([...cosines(vectors, [7])]).toEqual([0])
  })
})

test('opposite unit vectors along one axis do not overflow', () => {
  const axis = unit(Float32Array.from({ length: 384 }, (_, index) => (index === 0 ? 1 : 0)))
  const vectors = new Vectors(new VectorMemory(), 384)
  vectors.set(0, encodeVectors([axis], 384))
  vectors.set(1, encodeVectors([axis.map((value) => -value)], 384))
  vectors.ask(axis)
  expect([...cosines(vectors, [0, 1])]).toEqual([1, -1])
})

test.each([16, 384, 768, 3840])(
  'as many vectors of %i dimensions as are promised fit, and half as many more do not',
  (dimensions) => {
    const vectors = new Vectors(new VectorMemory(), dimensions)
    const encoded = encodeVectors([vector('one', dimensions)], dimensions)
    let slots = 0
    // One in each block is enough: the first after a block that is full needs the next.
    for (; vectors.bytes < 4 * BLOCK_BYTES; slots++) vectors.set(slots, encoded)
    const perBlock = (slots - 1) / 3
    const bytes = (mostVectors(dimensions) / perBlock) * BLOCK_BYTES
    expect(bytes).toBeLessThan(0.8 * MEMORY_BYTES)
    expect(1.5 * bytes).toBeGreaterThan(MEMORY_BYTES)
    vectors.release()
  },
)

test('memory that was released is forgotten and used again', () => {
  const memory = new VectorMemory()
  const first = new Vectors(memory, 16)
  first.set(0, encodeVectors([vector('secret')], 16))
  const before = memory.bytes.length
  first.release()
  const second = new Vectors(memory, 16)
  second.set(1, encodeVectors([vector('other')], 16))
  second.ask(vector('secret'))
  expect([...cosines(second, [0])]).toEqual([0])
  expect(memory.bytes.length).toBe(before)
})

describe('columns', () => {
  /** Numbers of each item's slots. */
  const items = fc.array(
    fc.record({
      selected: fc.boolean(),
      slots: fc.array(fc.integer({ min: 0, max: FARTHEST }), { minLength: 1, maxLength: 20 }),
    }),
    { minLength: 1, maxLength: 50 },
  )
  const filled = (all: { slots: number[] }[]) => {
    let slots = 0
    const ends = Uint32Array.from(all, (item) => (slots += item.slots.length))
    const columns = columnsFor(ends, all.length, slots)
    columns.distances.set(all.flatMap((item) => item.slots))
    columns.sums.set(all.flatMap((item) => item.slots.map((value) => value / 7)))
    return columns
  }

  test('the highest of each item leaves out its combined vector', () => {
    fc.assert(
      fc.property(items, (all) => {
        const columns = filled(all)
        columns.findHighest()
        const expected = all.map(({ slots }) => Math.fround(Math.max(0, ...slots.slice(0, -1)) / 7))
        expect([...columns.highest]).toEqual(expected)
      }),
    )
  })

  test('the nearest of each item selected are counted and listed', () => {
    fc.assert(
      fc.property(items, fc.integer({ min: 0, max: FARTHEST }), (all, most) => {
        const columns = filled(all)
        const counts = columns.findNearest(Uint8Array.from(all, ({ selected }) => Number(selected)))
        const nearest = all.map(({ selected, slots }) => (selected ? Math.min(...slots) : 65_535))
        expect([...columns.nearest]).toEqual(nearest)
        expect(counts[most]).toBe(nearest.filter((distance) => distance === most).length)
        const within = [...nearest.keys()].filter((item) => nearest[item]! <= most)
        expect([...columns.itemsWithin(most)]).toEqual(within)
      }),
    )
  })
})
