import { ENTITY_KINDS, type SearchQuery, type TextQuery } from '@medialog/application/ports'
import { entityLabel, featureLabel, topicLabel } from '../../search/labels.ts'
import { hashed } from '../catalog/documents.ts'
import { livingItems } from '../catalog/filters.ts'
import type { Query } from '../query.ts'

/** What the items of an account must be to pass the filters. */
export function selection(index: string, query: TextQuery): Query[] {
  const { mediaTypes, createdAfter, createdBefore, topics, entities } = query.filters
  const filter = livingItems(index, query.accountId)
  if (query.collections) filter.push({ terms: { collection: [...query.collections] } })
  if (mediaTypes) filter.push({ terms: { type: [...mediaTypes] } })
  if (createdAfter !== undefined) filter.push({ range: { createdAt: { gte: createdAfter } } })
  if (createdBefore !== undefined) filter.push({ range: { createdAt: { lte: createdBefore } } })
  if (topics) filter.push(labelled(topics.map(topicLabel)))
  for (const kind of ENTITY_KINDS) {
    const names = entities?.[kind]
    if (names) filter.push(labelled(names.map((name) => entityLabel(kind, name))))
  }
  return filter
}

/** What the items are whose score the query's modality raises; null for none at all. */
export function modalityOf({ modality }: Pick<SearchQuery, 'modality'>) {
  if (!modality || modality.weight === 0) return null
  const { type, weight, features } = modality
  return { type, weight, labels: features.map((feature) => hashed(featureLabel(feature))) }
}

/** Items that have any of the labels. */
const labelled = (labels: readonly string[]): Query => ({ terms: { labels: labels.map(hashed) } })
