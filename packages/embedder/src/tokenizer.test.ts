import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { countTokens, tokenize, tokenizer } from './tokenizer.ts'

const vocabulary = readFileSync(
  new URL('../model/all-MiniLM-L6-v2/vocab.txt', import.meta.url),
  'utf8',
).split('\n')
const pieces = (text: string): string =>
  tokenize(text)
    .ids.map((id) => vocabulary[id])
    .join(' ')

describe('WordPiece, as the reference cuts', () => {
  test.each([
    ['Hello, World!', 'hello , world !'],
    ['embeddings unaffable', 'em ##bed ##ding ##s una ##ffa ##ble'],
    ["don't $5.00 ~x`", "don ' t $ 5 . 00 ~ x `"],
    ['naïve CAFÉ İstanbul', 'naive cafe istanbul'],
    ['ca\u0301fe\u0301', 'cafe'],
    ['“curly”—dash…', '“ curly ” — dash …'],
    ['日本語の本', '日 本 語 の 本'],
    ['한국', 'ᄒ ##ᅡ ##ᆫ ##ᄀ ##ᅮ ##ᆨ'],
    ['a\u200bb\u0000c\td\ne\u00a0f', 'abc d e f'],
    ['😀', '[UNK]'],
    ['Σίσυφος', 'σ ##ι ##σ ##υ ##φ ##ος'],
    [`${'x'.repeat(101)} y`, '[UNK] y'],
    ['[CLS] [SEP]', '[ cl ##s ] [ sep ]'],
    ['', ''],
    [' \n\t ', ''],
  ])('%j', (text, expected) => expect(pieces(text)).toBe(expected))

  test('an input is opened, closed and cut to 256 tokens', () => {
    expect(tokenizer().encode('cat')).toEqual([101, 4937, 102])
    const long = tokenizer().encode('cat '.repeat(1_000))
    expect([long.length, long[0], long[254], long[255]]).toEqual([256, 101, 4937, 102])
  })
})

test('offsets point at the words of the source, whatever was dropped or decomposed', () => {
  const text = 'Ünïcode\u200b-Test 한국 e\u0301t\u00e9!'
  const { starts, ends, begins } = tokenize(text)
  const words: string[] = []
  for (const [index, begin] of begins.entries())
    if (begin) words.push(text.slice(starts[index], ends[index]))
    else words.push(words.pop()! + text.slice(Math.max(starts[index]!, ends[index - 1]!), ends[index]))
  expect(words).toEqual(['Ünïcode', '-', 'Test', '한국', 'e\u0301t\u00e9', '!'])
})

test('offsets are in order and inside the text, for any text', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 200 }), (text) => {
      const { ids, starts, ends, begins } = tokenize(text)
      expect([starts.length, ends.length, begins.length]).toEqual([ids.length, ids.length, ids.length])
      for (const [index, start] of starts.entries()) {
        expect(start).toBeGreaterThanOrEqual(starts[index - 1] ?? 0)
        expect(ends[index]).toBeGreaterThanOrEqual(start)
        expect(ends[index]).toBeLessThanOrEqual(text.length)
      }
      expect(countTokens(text)).toBe(ids.length)
    }),
  )
})
