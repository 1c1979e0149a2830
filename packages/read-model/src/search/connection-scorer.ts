import type { LabelKind } from '@medialog/application/ports'

/**
 * How strongly two items are connected, and what a connection passes on; docs/search.md has the reasons:
 *
 *     rarity   = clamp(ln(0.25 / p) / ln(0.25 / 0.003), 0, 1)   p = n / (N + 100), of a label that n of N items have
 *     strength = 1 − Π (1 − weight × rarity)               over the labels shared, relation by relation
 *     strength = clamp((cosine − 0.4) / 0.6, 0, 1)         of the combined vectors: similar content
 *     score    = 0.8 × strength × score of the item before
 */

/** As if so many items more were there that have none of the labels: a few items in common prove little. */
const UNSEEN_ITEMS = 100
/** A label of a quarter of all items connects nothing; one of three in a thousand does all that a label can. */
const COMMON = 0.25
const RARE = 0.003

/** 0 to 1, of a label that `holders` of the account's `items` items have. */
export function rarity(holders: number, items: number): number {
  const share = holders / (items + UNSEEN_ITEMS)
  return Math.min(1, Math.max(0, Math.log(COMMON / share) / Math.log(COMMON / RARE)))
}

/** How much one shared label says: names of somebody or somewhere most, a broad topic least. */
export const LABEL_WEIGHT: Readonly<Record<LabelKind, number>> = {
  author: 0.9,
  artist: 0.9,
  album: 0.9,
  filename: 0.9,
  people: 0.9,
  organizations: 0.9,
  locations: 0.9,
  objects: 0.6,
  concepts: 0.6,
  topic: 0.3,
  keyword: 0.5,
}

/** What sharing a label says that `holders` of the account's `items` items have; 0 where no other item has it. */
export const labelWeight = (kind: LabelKind, holders: number, items: number): number =>
  holders < 2 ? 0 : LABEL_WEIGHT[kind] * rarity(holders, items)

/** The cosine from which on two items are similar in content. */
const SIMILAR = 0.4

export const contentStrength = (cosine: number): number =>
  Math.min(1, Math.max(0, (cosine - SIMILAR) / (1 - SIMILAR)))

/** What is weaker is no connection. */
export const LEAST_STRENGTH = 0.1

/** Of equally strong connections the one to what is nearer in content goes first. */
export const connectionRank = (strength: number, shortCosine: number): number =>
  strength + 0.001 * Math.max(0, shortCosine)

const DECAY = 0.8

/** What an item gets through a connection with one of that score. */
export const connectedScore = (score: number, strength: number): number => DECAY * strength * score

/** What would score less is not found over a connection: clients must not pay for noise. */
export const LEAST_CONNECTED = 0.01

/** Items whose short vectors are nearest, of which the content is compared exactly. */
export const CONTENT_CANDIDATES = 64
/** An item's strongest connections: no others are looked at. */
export const MOST_CONNECTIONS = 50
/** Direct matches that connections are followed from, and items of each level that lead on: the best by score. */
export const SEEDS = 10
export const FRONTIER = 30
/** Connections with other media types that a result shows. */
export const CROSS_MODAL = 5
/** Labels that a connection names. */
export const MOST_SHARED = 3
