import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { best } from './best.ts'
import {
  boosted,
  combinedScore,
  idf,
  lengthNorm,
  lexicalScale,
  lexicalScore,
  semanticScore,
  termScore,
} from './scorer.ts'

describe('the scorer', () => {
  test('computes BM25 as in the literature', () => {
    // Ten chunks, four of them with the term; twice in a chunk half as long as the average.
    expect(idf(10, 4)).toBeCloseTo(Math.log(1 + 6.5 / 4.5), 12)
    const norm = lengthNorm(50, 100)
    expect(norm).toBeCloseTo(1.2 * (0.25 + 0.75 * 0.5), 12)
    expect(termScore(idf(10, 4), 2, norm)).toBeCloseTo((idf(10, 4) * 2 * 2.2) / (2 + norm), 12)
  })

  test('measures BM25 against the six rarest terms', () => {
    expect(lexicalScale([1, 2, 3, 4, 5, 6, 7])).toBeCloseTo(1.1 * 27, 12)
    expect(lexicalScore(1.1 * 27, lexicalScale([1, 2, 3, 4, 5, 6, 7]))).toBeCloseTo(Math.tanh(1), 12)
    expect(lexicalScore(3, lexicalScale([]))).toBe(0)
  })

  test.each([
    [0.15, 0],
    [-1, 0],
    [1, 1],
    [0.575, 0.5],
  ])('a cosine of %f means %f', (cosine, expected) => {
    expect(semanticScore(cosine, 0.15)).toBeCloseTo(expected, 12)
  })

  test('every score is from 0 to 1', () => {
    const share = fc.double({ min: 0, max: 1, noNaN: true })
    fc.assert(
      fc.property(share, share, share, share, (weight, lexical, semantic, boost) => {
        const score = boosted(combinedScore(weight, lexical, semantic), boost)
        expect(score).toBeGreaterThanOrEqual(0)
        expect(score).toBeLessThanOrEqual(1 + 1e-12)
      }),
    )
  })
})

test('best takes the highest values above 0 and settles ties', () => {
  const value = fc.oneof(fc.integer({ min: -2, max: 20 }), fc.float({ min: -1, max: 3, noNaN: true }))
  fc.assert(
    fc.property(fc.array(value, { maxLength: 200 }), fc.integer({ min: 1, max: 50 }), (numbers, limit) => {
      const values = Float32Array.from(numbers)
      const places = numbers.map((_, at) => at).filter((at) => values[at]! > 0)
      const expected = places.sort((a, b) => values[b]! - values[a]! || a - b).slice(0, limit)
      const found = best(values, values.length, limit, (a, b) => a - b)
      expect(found.sort((a, b) => a - b)).toEqual(Uint32Array.from(expected).sort((a, b) => a - b))
    }),
  )
})
