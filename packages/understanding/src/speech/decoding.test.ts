import { expect, test } from 'vitest'
import { Decoding, phrasesOf } from './decoding.ts'
import { END, FIRST_STAMP, VOCABULARY } from './vocabulary.ts'

const WORD = 1_000
const OTHER = 1_001
/** A bracket: never said. */
const BRACKET = 58
const stamp = (second: number): number => FIRST_STAMP + 50 * second

/** Logits by id; all others are far below. */
function logits(likely: Record<number, number>): Float32Array {
  const all = new Float32Array(VOCABULARY).fill(-50)
  for (const [id, logit] of Object.entries(likely)) all[Number(id)] = logit
  return all
}
const ids = (decoding: Decoding): number[] => decoding.said.map(({ id }) => id)

test('begins with a stamp within the first second, whatever is likelier', () => {
  const decoding = new Decoding(30)
  decoding.take(logits({ [WORD]: 9, [END]: 9, [stamp(12)]: 8, [stamp(0.5)]: 1 }))
  expect(ids(decoding)).toEqual([stamp(0.5)])
})

test('writes text between two stamps that do not go back, and ends behind a stamp', () => {
  const decoding = new Decoding(30)
  decoding.take(logits({ [stamp(1)]: 5 }))
  // Behind a first stamp there is text.
  decoding.take(logits({ [stamp(2)]: 9, [BRACKET]: 8, [WORD]: 5 }))
  decoding.take(logits({ [stamp(0.2)]: 9, [stamp(2)]: 5 }))
  // Behind the one that closes it there is one that opens the next.
  decoding.take(logits({ [WORD]: 9, [stamp(2)]: 5 }))
  decoding.take(logits({ [stamp(3)]: 9, [OTHER]: 5 }))
  decoding.take(logits({ [stamp(4)]: 9 }))
  expect(ids(decoding)).toEqual([stamp(1), WORD, stamp(2), stamp(2), OTHER, stamp(4)])
  expect(decoding.take(logits({ [WORD]: 9, [END]: 5 }))).toBe(false)
  expect(phrasesOf(decoding.said)).toMatchObject([
    { start: 1, end: 2, said: [{ id: WORD }] },
    { start: 2, end: 4, said: [{ id: OTHER }] },
  ])
})

test('takes a stamp where all of them together are likelier than any text', () => {
  const several = { [stamp(1)]: 4, [stamp(1.02)]: 4, [stamp(1.04)]: 4 }
  const take = (word: number): number => {
    const decoding = new Decoding(30)
    decoding.take(logits({ [stamp(0)]: 5 }))
    decoding.take(logits({ [WORD]: 5 }))
    decoding.take(logits({ ...several, [OTHER]: word }))
    return decoding.said.at(-1)!.id
  }
  expect(take(5)).toBe(stamp(1))
  expect(take(5.2)).toBe(OTHER)
})

test('no stamp is behind the end of the window', () => {
  const decoding = new Decoding(2)
  decoding.take(logits({ [stamp(0)]: 5 }))
  decoding.take(logits({ [WORD]: 5 }))
  decoding.take(logits({ [stamp(20)]: 9, [stamp(2)]: 5 }))
  expect(ids(decoding).at(-1)).toBe(stamp(2))
})

test('knows how sure the model was, of the end as well', () => {
  const decoding = new Decoding(30)
  decoding.take(logits({ [stamp(0)]: 5 }))
  decoding.take(logits({ [WORD]: 5, [OTHER]: 5 }))
  expect(decoding.said.map(({ sure }) => Math.exp(sure))).toEqual([
    expect.closeTo(1, 5),
    expect.closeTo(0.5, 5),
  ])
  decoding.take(logits({ [END]: 5, [WORD]: 5 }))
  expect(decoding.sure).toBeCloseTo((2 * Math.log(0.5)) / 3, 5)
})

test('notices a phrase that comes again and again, and does without when it is asked to', () => {
  const phrase = [WORD, OTHER, 1_002, 1_003]
  const repeat = (decoding: Decoding): void => {
    decoding.take(logits({ [stamp(0)]: 5 }))
    for (let turn = 0; turn < 20; turn++)
      decoding.take(logits({ [phrase[turn % 4]!]: 5, [END]: 4.9, [2_000 + turn]: 4.9 }))
  }
  const looping = new Decoding(30)
  repeat(looping)
  expect(looping.isLoop).toBe(true)
  const without = new Decoding(30, 4)
  repeat(without)
  expect(without.isLoop).toBe(false)
})

test('a phrase without its last stamp has no end', () => {
  const said = [stamp(0), WORD, stamp(1), stamp(1.5), OTHER].map((id) => ({ id, sure: 0 }))
  expect(phrasesOf(said)).toMatchObject([
    { start: 0, end: 1 },
    { start: 1.5, end: null, said: [{ id: OTHER }] },
  ])
})
