import { readFileSync } from 'node:fs'
import { Tokenizer } from '@huggingface/tokenizers'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { countTokens, describeBert, tokenizer, withinTokens } from './tokenizer.ts'

const vocabulary = readFileSync(
  new URL('../model/all-MiniLM-L6-v2/vocab.txt', import.meta.url),
  'utf8',
).split('\n')
const vocab = Object.fromEntries(
  [...vocabulary.entries()].flatMap(([id, piece]) => (piece ? [[piece, id]] : [])),
)
const library = new Tokenizer(describeBert(vocab), {})
const pieces = (text: string): string =>
  tokenizer()
    .ids(text)
    .map((id) => vocabulary[id])
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

test('places are those of the words in the source, whatever is dropped or decomposed', () => {
  const text = 'Ünïcode\u200b-Test 한국 e\u0301t\u00e9! 日本'
  const { starts, ends, tokens } = tokenizer().words(text)
  const words = starts.map((start, index) => text.slice(start, ends[index]))
  expect(words).toEqual(['Ünïcode\u200b', '-', 'Test', '한국', 'e\u0301t\u00e9', '!', '日', '本'])
  expect(tokens).toEqual([1, 1, 1, 6, 2, 1, 1, 1])
})

test('any text is cut as the library cuts it whole, and places are in order', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 200 }), (text) => {
      const { starts, ends, tokens } = tokenizer().words(text)
      for (const [index, start] of starts.entries()) {
        expect(start).toBeGreaterThanOrEqual(ends[index - 1] ?? 0)
        expect(ends[index]).toBeGreaterThan(start)
        expect(ends[index]).toBeLessThanOrEqual(text.length)
      }
      const count = countTokens(text)
      expect(tokens.reduce((sum, of) => sum + of, 0)).toBe(count)
      expect(tokenizer().ids(text)).toHaveLength(count)
      // Of Han beyond the basic plane the library sees halves, unless they stand alone as here.
      const basic = text.replaceAll(/[\u{10000}-\u{10ffff}]/gu, ' ').toWellFormed()
      expect(tokenizer().ids(basic)).toEqual(library.encode(basic, { add_special_tokens: false }).ids)
    }),
    { examples: [['0\v0'], ['a\fb c'], ['a\ufeffb'], ['a\u2028b\u3000c\u0085d']] },
  )
})

test('a count ends soon after its limit', () => {
  expect(countTokens('cat '.repeat(50), 100)).toBe(50)
  expect(countTokens('cat '.repeat(1_000_000), 100)).toBe(101)
})

test('what is within a limit ends with a whole word', () => {
  expect(withinTokens('cats embeddings cats', 5)).toBe('cats embeddings')
  expect(withinTokens('cats embeddings cats', 4)).toBe('cats')
  expect(withinTokens('embeddings', 3)).toBe('')
  expect(withinTokens('cats embeddings cats ', 6)).toBe('cats embeddings cats ')
})

test.each(['x', '한', '漢', '\u0301', '.', 'é', '[SEP]', '\ud800'])(
  'a text of 400 000 times %j is counted in a moment',
  (part) => expect(countTokens(part.repeat(400_000))).toBeGreaterThanOrEqual(0),
  20_000,
)
