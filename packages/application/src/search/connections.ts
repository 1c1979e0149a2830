import type { Uuid } from '@medialog/kernel'
import {
  connectingLabels,
  type CatalogItem,
  type ConnectingLabel,
  type Connection,
  type LabelKind,
  type Relation,
} from '../ports/index.ts'

/** A connection as people read it. */
export interface ShownConnection extends Omit<Connection, 'source' | 'target' | 'shared'> {
  source: CatalogItem
  target: CatalogItem
  /** What the two share: `both name NASA and Neil Armstrong`. */
  phrase: string
}

/** The connection between items at hand; null where one of them is gone. */
export function shown(
  { source: from, target: to, relation, strength, shared }: Connection,
  items: ReadonlyMap<Uuid, CatalogItem>,
): ShownConnection | null {
  const source = items.get(from)
  const target = items.get(to)
  if (!source || !target) return null
  const labels = connectingLabels(source)
  const named = shared.flatMap((place) => labels[place] ?? [])
  return { source, target, relation, strength, phrase: phraseOf(relation, named, strength) }
}

const SOURCES: Partial<Record<LabelKind, string>> = { filename: 'file name' }

/** A relation in words; `share`: of content, from 0 to 1. */
export function phraseOf(
  relation: Relation,
  labels: readonly Pick<ConnectingLabel, 'kind' | 'name'>[],
  share: number,
): string {
  const names = listed([...new Set(labels.map(({ name }) => name))])
  switch (relation) {
    case 'same_source':
      return listed(labels.map(({ kind, name }) => `same ${SOURCES[kind] ?? kind}: ${name}`))
    case 'shared_entity':
      return `both name ${names}`
    case 'shared_topic':
      return `both about ${names}`
    case 'similar_content':
      return `similar content (${Math.round(share * 100)} %)`
  }
}

function listed(words: readonly string[]): string {
  if (words.length < 2) return words.join('')
  return `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`
}
