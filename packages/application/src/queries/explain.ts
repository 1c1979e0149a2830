import type { CatalogItem, SearchHit } from '../ports/index.ts'

/** Scores from which on a match is called so: read off the Cranfield judgements' score distribution in docs/search.md. */
const CONFIDENCE: readonly [number, string][] = [
  [0.6, 'High'],
  [0.35, 'Medium'],
  [0, 'Low'],
]

/** Why an item was found, in a sentence or three: confidence, words and topics that match, quality. */
export function explain(hit: SearchHit, item: CatalogItem): string {
  const [, confidence] = CONFIDENCE.find(([from]) => hit.score >= from)!
  const sentences = [`${confidence} confidence (${percent(hit.score)}): ${sides(hit)}.`]
  if (hit.matchedTerms.length > 0) sentences.push(`Matching words: ${hit.matchedTerms.join(', ')}.`)
  const words = new Set(hit.matchedTerms.map((term) => term.toLowerCase()))
  const topics = item.enrichment.topics.filter((topic) =>
    topic
      .toLowerCase()
      .split(/\W+/)
      .some((word) => words.has(word)),
  )
  if (topics.length > 0) sentences.push(`Matched topics: ${topics.join(', ')}.`)
  const { clarity, completeness, relevance, technical } = item.enrichment.quality
  sentences.push(
    `Quality: clarity ${clarity.toFixed(2)}, completeness ${completeness.toFixed(2)}, relevance ${relevance.toFixed(2)}, technical ${technical.toFixed(2)}.`,
  )
  return sentences.join(' ')
}

const percent = (score: number): string => `${Math.round(score * 100)} %`

function sides({ lexical, semantic }: SearchHit): string {
  const parts = [lexical > 0 && `words ${percent(lexical)}`, semantic > 0 && `meaning ${percent(semantic)}`]
  return parts.filter(Boolean).join(', ') || 'a filter alone'
}
