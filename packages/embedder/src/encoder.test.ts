import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { encoderOf } from './encoder.ts'
import { MODEL_IN_THE_BOX } from './model.ts'
import { pooled } from './pooling.ts'
import { tokenizer } from './tokenizer.ts'

const folder = mkdtempSync(join(tmpdir(), 'medialog-tokenizer-'))
afterAll(() => rmSync(folder, { recursive: true }))

/** A tokenizer of pieces with scores, as XLM-RoBERTa and multilingual E5 have it. */
const UNIGRAM = {
  version: '1.0',
  truncation: null,
  padding: null,
  added_tokens: ['<s>', '<pad>', '</s>', '<unk>'].map((content, id) => ({
    id,
    content,
    special: true,
    single_word: false,
    lstrip: false,
    rstrip: false,
    normalized: false,
  })),
  normalizer: null,
  pre_tokenizer: { type: 'Metaspace', replacement: '▁', add_prefix_space: true, prepend_scheme: 'always' },
  post_processor: {
    type: 'TemplateProcessing',
    single: [
      { SpecialToken: { id: '<s>', type_id: 0 } },
      { Sequence: { id: 'A', type_id: 0 } },
      { SpecialToken: { id: '</s>', type_id: 0 } },
    ],
    pair: [],
    special_tokens: {
      '<s>': { id: '<s>', ids: [0], tokens: ['<s>'] },
      '</s>': { id: '</s>', ids: [2], tokens: ['</s>'] },
    },
  },
  decoder: null,
  model: {
    type: 'Unigram',
    unk_id: 3,
    vocab: [
      ['<s>', 0],
      ['<pad>', 0],
      ['</s>', 0],
      ['<unk>', 0],
      ['▁', -3],
      ['▁고래', -4],
      ['는', -4],
      ['▁잔다', -4],
      ['a', -5],
      ['고래', -9],
    ],
  },
}

describe('a tokenizer.json', () => {
  const path = join(folder, 'tokenizer.json')
  writeFileSync(path, JSON.stringify(UNIGRAM))
  const encode = (maxTokens: number) =>
    encoderOf({ ...MODEL_IN_THE_BOX, tokenizer: { kind: 'tokenizer.json', path }, maxTokens })

  test('cuts text into its pieces, opened and closed', () => {
    expect(encode(16)('고래는 잔다')).toEqual([0, 5, 6, 7, 2])
    expect(encode(16)('')).toEqual([0, 2])
  })

  test('is cut to what the model reads, and closed all the same', () => {
    const ids = encode(16)('고래는 잔다 '.repeat(100_000))
    expect(ids).toHaveLength(16)
    expect([ids[0], ids.at(-1)]).toEqual([0, 2])
  })
})

test('a vocab.txt is cut into word pieces as in the box', () => {
  const encode = encoderOf(MODEL_IN_THE_BOX)
  const text = 'Embeddings of whales'
  expect(encode(text)).toEqual(tokenizer().encode(text))
  expect(encode('cat '.repeat(1_000))).toHaveLength(256)
})

describe('pooling', () => {
  const data = Float32Array.of(3, 0, 0, 4)
  const model = (pooling: 'mean' | 'cls' | 'none', dimensions = 2) => ({ pooling, dimensions })

  test('takes the mean of the tokens, the first of them, or the vector that is there, at unit length', () => {
    expect([...pooled({ data, dims: [1, 2, 2] }, model('mean'))]).toEqual([0.6, 0.8].map(Math.fround))
    expect([...pooled({ data, dims: [1, 2, 2] }, model('cls'))]).toEqual([1, 0])
    expect([...pooled({ data: Float32Array.of(0, 2), dims: [1, 2] }, model('none'))]).toEqual([0, 1])
  })

  test.each([
    [{ data, dims: [1, 2, 2] }, model('none')],
    [{ data, dims: [2, 2] }, model('none')],
    [{ data, dims: [1, 1, 4] }, model('mean')],
    [{ data, dims: [2, 1, 2] }, model('cls')],
    [{ data, dims: [1, 4] }, model('mean', 4)],
    [{ data: new Float32Array(4), dims: [1, 2, 2] }, model('mean')],
    [{ data: Float32Array.of(NaN, 1, 1, 1), dims: [1, 2, 2] }, model('mean')],
  ])('refuses %o of a model with %o', (output, asked) => {
    expect(() => pooled(output, asked)).toThrow(/its output has the shape|without direction/)
  })
})
