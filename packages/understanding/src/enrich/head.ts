import type { Enrichment, Extraction } from '@medialog/application/ports'
import { tokenize } from '@medialog/embedder/tokenizer'
import { factsInWords } from './facts.ts'

/** The words of a file name: without extension, `_`, `-` and camel case taken apart. */
export const filenameWords = (filename: string): string =>
  filename
    .replace(/\.[^.\s]{1,8}$/u, '')
    .replace(/(\p{Ll}|\d)(\p{Lu})/gu, '$1 $2')
    .replace(/[\s_\-.+()[\]]+/gu, ' ')
    .trim()

/**
 * The head of an item as one text, a line a part, at most 200 tokens in all: file name, title, a medium's facts,
 * summary, keywords. Never empty where the file has a name.
 */
export function headText(extraction: Extraction, enrichment: Enrichment, filename: string): string {
  const name = filenameWords(filename) || filename
  const title = extraction.title && extraction.title !== name ? extraction.title : ''
  const facts = extraction.mediaType === 'document' ? '' : factsInWords(extraction)
  const lines = [
    within(name, 30),
    within(title, 30),
    enrichment.summary.startsWith(facts) ? '' : within(facts, 60),
    within(enrichment.summary, facts === '' ? 100 : 70),
    within(enrichment.keywords.join(', '), facts === '' ? 40 : 30),
  ]
  return lines.filter((line) => line !== '').join('\n')
}

/** As many whole words of `text` as have at most `limit` tokens. */
function within(text: string, limit: number): string {
  const line = text
    .replace(/\s+/gu, ' ')
    .trim()
    .slice(0, 8 * limit)
  const tokens = tokenize(line)
  if (tokens.ids.length <= limit) return line
  let last = limit
  while (last > 0 && !tokens.begins[last]) last--
  return line.slice(0, tokens.starts[last] ?? 0).trim()
}
