import type { FileAnalysis, FileQuestion } from '@medialog/application/ports'
import { distinct } from '../enrich/distinct.ts'
import { factsInWords } from '../enrich/facts.ts'
import { listed } from '../enrich/listed.ts'
import { askedFor, type SelectOptions } from './asked.ts'
import { selectQuotes, type Quote } from './select.ts'
import { DISCLAIMER, NO_ANSWER, quoted } from './wording.ts'

const KEY_ELEMENTS = 12

/** What a file says to a question: its enrichment, and the sentences that answer, quoted. */
export async function analysisOf(question: FileQuestion, options: SelectOptions): Promise<FileAnalysis> {
  const { query, passages, extraction, enrichment } = question
  const asked = askedFor(query, null, options.lexicon)
  const quotes = await selectQuotes(asked, passages, options)
  const [first, ...others] = quotes.map(({ text }) => quoted(text))
  return {
    summary: enrichment.summary || enrichment.description || factsInWords(extraction),
    keyElements: keyElementsOf(question),
    relevantDetails: others.length > 0 ? others.join(' ') : detailsOf(question),
    mainResponse: first ?? NO_ANSWER,
    insights: quotes.map((quote) => insightOf(quote, passages.length)),
    additionalConsiderations: considerationsOf(question, quotes.length),
  }
}

function keyElementsOf({ enrichment, extraction }: FileQuestion): string[] {
  const { people, organizations, locations, objects } = enrichment.entities
  return distinct(
    [
      ...extraction.sections.slice(0, 4).map(({ title }) => title),
      ...people,
      ...organizations,
      ...locations,
      ...objects,
      ...enrichment.keywords,
    ].filter((element) => element.trim() !== ''),
    KEY_ELEMENTS,
  )
}

/** Where no second sentence speaks to the question: what is known of the file as a whole. */
const detailsOf = ({ extraction, enrichment }: FileQuestion): string =>
  factsInWords(extraction) || enrichment.description

const insightOf = (
  { text, passage, matched }: Quote,
  passages: number,
): FileAnalysis['insights'][number] => ({
  observation: quoted(text),
  analysis:
    (matched.length > 0
      ? `It has the words ${listed(matched.map(quoted))} of the question`
      : 'It is close to the question in meaning') +
    ` and stands in ${passage === 0 ? 'what is known of the file as a whole' : `passage ${passage} of ${passages - 1}`}.`,
  implication: 'Quoted as it stands there: what follows from it is for the reader to judge.',
})

function considerationsOf({ extraction, enrichment, mediaType }: FileQuestion, quotes: number): string {
  const { truncated, warnings, language, text } = extraction
  const { clarity, completeness } = enrichment.quality
  return [
    quotes === 0 && text !== ''
      ? 'No sentence of the file speaks to the question clearly enough to be quoted.'
      : '',
    text === '' ? 'The file holds no text that could be read: only its facts could be gone by.' : '',
    truncated ? 'The file is longer than what is read: its end was left out.' : '',
    ...warnings,
    language !== null && !/^en\b/.test(language)
      ? `The text is in another language than English (${language}), for which questions are matched by their words alone.`
      : '',
    mediaType !== extraction.mediaType
      ? `It was taken for ${mediaType} as asked; its bytes say ${extraction.mediaType}.`
      : '',
    text === ''
      ? ''
      : `Quality of the text: clarity ${clarity.toFixed(2)}, completeness ${completeness.toFixed(2)}.`,
    DISCLAIMER,
  ]
    .filter((sentence) => sentence !== '')
    .join(' ')
}
