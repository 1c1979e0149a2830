import { connectingLabels, type AdvancedQuery, type Relation } from '@medialog/application/ports'
import type { Uuid } from '@medialog/kernel'
import {
  connectedScore,
  contentStrength,
  LABEL_WEIGHT,
  LEAST_CONNECTED,
  LEAST_STRENGTH,
  rarity,
} from '../search/connection-scorer.ts'
import { product } from './items.ts'
import type { NaiveItem } from './naive-item.ts'

export interface NaiveFound {
  mediaId: Uuid
  score: number
  depth: number
}

/** The relation of each kind and its strength between two items, by the formulas alone. */
export function naiveConnection(
  items: readonly NaiveItem[],
  a: NaiveItem,
  b: NaiveItem,
): { relation: Relation; strength: number } {
  const keysOf = ({ change }: NaiveItem) => new Set(connectingLabels(change.item).map(({ key }) => key))
  const holders = (key: string): number => items.filter((item) => keysOf(item).has(key)).length
  const shared = connectingLabels(a.change.item).filter(({ key }) => keysOf(b).has(key))
  const byLabels = (relation: Relation): number =>
    1 -
    shared
      .filter((label) => label.relation === relation)
      .reduce(
        (left, { key, kind }) => left * (1 - LABEL_WEIGHT[kind] * rarity(holders(key), items.length)),
        1,
      )
  const relations: { relation: Relation; strength: number }[] = [
    { relation: 'same_source', strength: byLabels('same_source') },
    { relation: 'shared_entity', strength: byLabels('shared_entity') },
    { relation: 'shared_topic', strength: byLabels('shared_topic') },
    {
      relation: 'similar_content',
      strength:
        a.change.vectors.model === b.change.vectors.model
          ? contentStrength(product(a.change.vectors.combined, b.change.vectors.combined))
          : 0,
    },
  ]
  return relations.reduce((best, one) => (one.strength > best.strength ? one : best))
}

/**
 * Every item by the best of its ways over up to `contextDepth` connections, all of them followed: what an engine does
 * in a library of up to as many items as it follows connections of one.
 */
export function withConnections(
  items: readonly NaiveItem[],
  direct: readonly { mediaId: Uuid; score: number }[],
  { contextDepth }: AdvancedQuery,
): NaiveFound[] {
  const scoreOf = new Map(direct.map(({ mediaId, score }) => [mediaId, score]))
  let found = items.map(({ change }): NaiveFound => {
    const { mediaId } = change.item
    return { mediaId, score: scoreOf.get(mediaId)!, depth: 0 }
  })
  const strengths = items.map((a) => items.map((b) => naiveConnection(items, a, b).strength))
  for (let depth = 1; depth <= contextDepth; depth++) {
    found = found.map((before, target) => {
      let best = before
      for (const [source, from] of found.entries()) {
        const strength = strengths[source]![target]!
        const score = connectedScore(from.score, strength)
        if (source === target || strength < LEAST_STRENGTH || score < LEAST_CONNECTED) continue
        if (score > best.score) best = { mediaId: before.mediaId, score, depth }
      }
      return best
    })
  }
  return found
}
