import { ENTITY_KINDS, type CatalogItem, type Enrichment, type Facts } from '@medialog/application/ports'

/**
 * What filters and `modality.features` match an item by, as strings that compare equal when a person would say so:
 * NFKC, lower case. A topic is `topic:…`, an entity `people:…` and so on.
 *
 * A feature is any topic, keyword, category, emotion or entity of any kind; the format; and what the parser saw:
 * names of dominant colours, colour mode, what an image looks like, codec, names of materials and parts.
 */
export function labelsOf(item: Pick<CatalogItem, 'format' | 'enrichment' | 'extraction'>): string[] {
  const { enrichment, extraction } = item
  const labels = new Set<string>()
  for (const topic of enrichment.topics) labels.add(topicLabel(topic))
  for (const kind of ENTITY_KINDS) {
    for (const name of enrichment.entities[kind]) labels.add(entityLabel(kind, name))
  }
  for (const feature of [item.format, ...concluded(enrichment), ...seen(extraction.facts)]) {
    labels.add(featureLabel(feature))
  }
  return [...labels]
}

export const topicLabel = (topic: string): string => `topic:${folded(topic)}`
export const entityLabel = (kind: string, name: string): string => `${kind}:${folded(name)}`
export const featureLabel = (feature: string): string => `feature:${folded(feature)}`

const folded = (text: string): string => text.normalize('NFKC').trim().toLowerCase()

const concluded = (enrichment: Enrichment): string[] => [
  ...enrichment.topics,
  ...enrichment.keywords,
  ...enrichment.categories,
  ...enrichment.emotions,
  ...Object.values(enrichment.entities).flat(),
]

const colorNames = ({ dominantColors }: { dominantColors: { name: string }[] }): string[] =>
  dominantColors.map((color) => color.name)

function seen(facts: Facts): string[] {
  switch (facts.mediaType) {
    case 'document':
      return []
    case 'image':
      return [facts.colorMode, ...(facts.kind ? [facts.kind.name] : []), ...colorNames(facts)]
    case 'video':
      return [...(facts.codec ? [facts.codec] : []), ...(facts.keyFrames?.flatMap(colorNames) ?? [])]
    case 'audio':
      return facts.codec ? [facts.codec] : []
    case 'model':
      return [...facts.materials, ...facts.parts, ...(facts.colors ?? []).map((color) => color.name)]
  }
}
