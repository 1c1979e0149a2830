import { readFileSync } from 'node:fs'
import { Tokenizer } from '@huggingface/tokenizers'
import type { EmbeddingModel } from './model.ts'
import { WordPiece } from './tokenizer.ts'

/** A text as a model's input, opened and closed, cut to what the model reads. */
export type Encode = (text: string) => number[]

/** More characters than any token has on average: what is beyond is not looked at. */
const CHARACTERS_PER_TOKEN = 32

/** Reads the tokenizer of a model. @throws Error where it is none */
export function encoderOf({ tokenizer: { kind, path }, maxTokens }: EmbeddingModel): Encode {
  const text = readFileSync(path, 'utf8')
  if (kind === 'vocab.txt') {
    const wordPiece = new WordPiece(text)
    return (text) => wordPiece.encode(text, maxTokens)
  }
  // What its configuration says beside is of no use here: special tokens are in the file itself.
  const tokenizer = new Tokenizer(JSON.parse(text), {})
  const idsOf = (text: string, special: boolean): number[] =>
    tokenizer.encode(text, { add_special_tokens: special }).ids
  const { open, close } = marksOf(idsOf('a', true), idsOf('a', false))
  const room = maxTokens - open.length - close.length
  return (text) => {
    const read = text.slice(0, maxTokens * CHARACTERS_PER_TOKEN).toWellFormed()
    return [...open, ...idsOf(read, false).slice(0, room), ...close]
  }
}

/** What stands before and behind a text. */
function marksOf(whole: number[], bare: number[]): { open: number[]; close: number[] } {
  const last = whole.length - bare.length
  for (let start = 0; start <= last; start++)
    if (bare.every((id, place) => whole[start + place] === id))
      return { open: whole.slice(0, start), close: whole.slice(start + bare.length) }
  throw new Error('the tokenizer does not keep a text whole between its special tokens')
}
