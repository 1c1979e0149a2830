import type { Enrichment, Extraction } from '@medialog/application/ports'
import { withinTokens } from '@medialog/embedder/tokenizer'
import { factsInWords } from './facts.ts'
import { sentencesOf } from './sentences.ts'

/** The words of a file name: without extension, `_`, `-` and camel case taken apart. */
export const filenameWords = (filename: string): string =>
  filename
    .replace(/\.[^.\s]{1,8}$/u, '')
    .replace(/(\p{Ll}|\d)(\p{Lu})/gu, '$1 $2')
    .replace(/[\s_\-.+()[\]]+/gu, ' ')
    .trim()

/**
 * The head of an item as one text, a line a part, at most 200 tokens in all: file name, title (where there is none the
 * first sentence), a medium's facts, summary, keywords. A summary that only quotes the text is left out: its sentences
 * are found in their passages, and without them the title counts for more. Never empty where the file has a name.
 */
export function headText(extraction: Extraction, enrichment: Enrichment, filename: string): string {
  const name = filenameWords(filename) || filename
  const title = extraction.title ?? firstSentence(extraction.text)
  const facts = extraction.mediaType === 'document' ? '' : factsInWords(extraction)
  const summary = isQuoted(enrichment.summary, extraction.text) ? '' : enrichment.summary
  const isOfFacts = summary !== '' && facts.startsWith(summary.replace(/…$/u, ''))
  const lines = [
    within(name, 30),
    title === name ? '' : within(title, 30),
    isOfFacts ? within(facts, 100) : summary.startsWith(facts) ? '' : within(facts, 60),
    isOfFacts ? '' : within(summary, facts === '' ? 100 : 70),
    within(enrichment.keywords.join(', '), facts === '' ? 40 : 30),
  ]
  return lines.filter((line) => line !== '').join('\n')
}

/** More than a title has room for. */
const BEGINNING = 1_000

const firstSentence = (text: string): string => sentencesOf(text.slice(0, BEGINNING))[0]?.text ?? ''

const escaped = (word: string): string => word.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')

/** Whether its first sentence begins with words of the text, whatever line ends and bars part them there. */
function isQuoted(summary: string, text: string): boolean {
  const words =
    sentencesOf(summary)[0]
      ?.text.match(/[^\s|,;]+/gu)
      ?.slice(0, 8) ?? []
  return new RegExp(words.map(escaped).join('[\\s|,;]+'), 'u').test(text)
}

/** As many whole words of `text` as have at most `limit` tokens. */
function within(text: string, limit: number): string {
  const line = text
    .replace(/\s+/gu, ' ')
    .trim()
    .slice(0, 8 * limit)
  return withinTokens(line, limit)
}
