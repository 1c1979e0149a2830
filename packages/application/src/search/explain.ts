import { connectingLabels, type AdvancedHit, type CatalogItem, type SearchHit } from '../ports/index.ts'
import { phraseOf, type ShownConnection } from './connections.ts'

/** Scores from which on a match is called so: read off the Cranfield judgements' score distribution in docs/search.md. */
const CONFIDENCE: readonly [number, string][] = [
  [0.6, 'High'],
  [0.35, 'Medium'],
  [0, 'Low'],
]

/** Why an item was found, in a sentence or three: confidence, words and topics that match, quality. */
export function explain(hit: SearchHit, item: CatalogItem): string {
  return [`${confidence(hit.score)}: ${sides(hit)}.`, ...matches(hit, item), quality(item)].join(' ')
}

/** The same for one that may have been found over connections. */
export function explainConnected(
  hit: AdvancedHit,
  item: CatalogItem,
  path: readonly ShownConnection[],
): string {
  const [first] = path
  if (!first) return explain(hit, item)
  const chain = path.map(({ target, phrase }) => `→ ${target.filename} (${phrase})`).join(' ')
  return [
    `${confidence(hit.score)}: found over ${path.length === 1 ? 'a connection' : `${path.length} connections`}, ${first.source.filename} ${chain}.`,
    ...matches(hit, item),
    quality(item),
  ].join(' ')
}

/** Explains of any item why it is similar to the reference. */
export function explainSimilarTo(reference: CatalogItem): (score: number, item: CatalogItem) => string {
  const labels = connectingLabels(reference)
  return (score, item) => {
    if (item.mediaId === reference.mediaId) return 'The reference itself.'
    const keys = new Set(connectingLabels(item).map(({ key }) => key))
    const reasons = (['same_source', 'shared_entity', 'shared_topic'] as const).flatMap((relation) => {
      const shared = labels.filter((label) => label.relation === relation && keys.has(label.key)).slice(0, 3)
      return shared.length > 0 ? [phraseOf(relation, shared, score)] : []
    })
    return [
      `${confidence(score)}: similar in content to ${reference.filename}.`,
      ...reasons.map((reason) => `${reason[0]!.toUpperCase()}${reason.slice(1)}.`),
      quality(item),
    ].join(' ')
  }
}

function confidence(score: number): string {
  const [, word] = CONFIDENCE.find(([from]) => score >= from)!
  return `${word} confidence (${percent(score)})`
}

function matches(hit: SearchHit, { enrichment }: CatalogItem): string[] {
  if (hit.matchedTerms.length === 0) return []
  const words = new Set(hit.matchedTerms.map((term) => term.toLowerCase()))
  const topics = enrichment.topics.filter((topic) =>
    topic
      .toLowerCase()
      .split(/\W+/)
      .some((word) => words.has(word)),
  )
  return [
    `Matching words: ${hit.matchedTerms.join(', ')}.`,
    ...(topics.length > 0 ? [`Matched topics: ${topics.join(', ')}.`] : []),
  ]
}

function quality({ enrichment }: CatalogItem): string {
  const { clarity, completeness, relevance, technical } = enrichment.quality
  return `Quality: clarity ${clarity.toFixed(2)}, completeness ${completeness.toFixed(2)}, relevance ${relevance.toFixed(2)}, technical ${technical.toFixed(2)}.`
}

const percent = (score: number): string => `${Math.round(score * 100)} %`

function sides({ lexical, semantic }: SearchHit): string {
  const parts = [lexical > 0 && `words ${percent(lexical)}`, semantic > 0 && `meaning ${percent(semantic)}`]
  return parts.filter(Boolean).join(', ') || 'a filter alone'
}
