import { RELATIONS, type LabelKind, type Relation } from '@medialog/application/ports'
import { best } from './best.ts'
import {
  connectionRank,
  CONTENT_CANDIDATES,
  contentStrength,
  labelWeight,
  LEAST_STRENGTH,
  MOST_SHARED,
} from './connection-scorer.ts'
import { ONE } from './fixed-point.ts'
import type { ItemIndex } from './item-index.ts'
import { byMediaId } from './lexical.ts'
import { countMarked, slotOf } from './postings.ts'
import { grown } from './typed-arrays.ts'

/** A connection from one item to another: by their numbers in an index, unless told. */
export interface Edge<Item = number> {
  source: Item
  target: Item
  relation: Relation
  strength: number
}

/** Place among the relations. */
export const RELATION_OF: Readonly<Record<LabelKind, number>> = {
  author: 0,
  artist: 0,
  album: 0,
  filename: 0,
  people: 1,
  organizations: 1,
  locations: 1,
  objects: 1,
  concepts: 1,
  topic: 2,
  keyword: 2,
}
const BY_CONTENT = RELATIONS.indexOf('similar_content')

/** Columns by item, kept between calls. */
let allItems = new Uint32Array()
/** Products of the short vectors with the source's. */
let products = new Int32Array()
let ranks = new Float32Array()
let targets = new Uint32Array()
/** By relation: Π (1 − weight × rarity) of the labels shared; 1 where none is. */
const unshared: Float32Array[] = RELATIONS.slice(0, BY_CONTENT).map(() => new Float32Array())
/** 1 − strength of the content, where it was compared; else 1. */
let unlike = new Float32Array()

/** The item's strongest connections with items that `allowed` marks, strongest first; see connectionRank for ties. */
export function strongest(index: ItemIndex, source: number, allowed: Uint8Array, limit: number): Edge[] {
  makeRoom(index.items)
  measureShort(index, source)
  shareLabels(index, source)
  compareContent(index, source, allowed)
  const count = rank(index, source, allowed)
  const before = byMediaId(index)
  const chosen = best(ranks, count, limit, (a, b) => before(targets[a]!, targets[b]!))
  return [...chosen]
    .sort((a, b) => ranks[b]! - ranks[a]! || before(targets[a]!, targets[b]!))
    .map((place) => edgeTo(source, targets[place]!))
}

/** Lists the items whose connection with the source is strong enough in `targets`, with their ranks. */
function rank(index: ItemIndex, source: number, allowed: Uint8Array): number {
  const [bySource, byEntity, byTopic] = unshared as [Float32Array, Float32Array, Float32Array]
  const most = 1 - LEAST_STRENGTH
  let count = 0
  for (let item = 0; item < index.items; item++) {
    // Every item comes by here for every connection asked for: comparisons are faster than Math.min.
    let least = unlike[item]!
    if (bySource[item]! < least) least = bySource[item]!
    if (byEntity[item]! < least) least = byEntity[item]!
    if (byTopic[item]! < least) least = byTopic[item]!
    if (least > most || allowed[item] === 0 || item === source) continue
    ranks[count] = connectionRank(1 - least, products[item]! / (ONE * ONE))
    targets[count++] = item
  }
  return count
}

/** Columns hold seven digits. */
export const rounded = (strength: number): number => Math.round(strength * 1e6) / 1e6

/** Of equally strong relations the first. */
function edgeTo(source: number, target: number): Edge {
  const left = [...unshared, unlike].map((column) => column[target]!)
  const least = Math.min(...left)
  return { source, target, relation: RELATIONS[left.indexOf(least)]!, strength: rounded(1 - least) }
}

/** Places among the source's labels of what the edge's two items share by its relation, the rarest first. */
export function sharedLabels(index: ItemIndex, { source, target, relation }: Edge): number[] {
  const { links } = index
  const ofTarget = new Set(links.termsOf(target))
  return [...links.termsOf(source)]
    .map((term, place) => ({ term, place }))
    .filter(({ term }) => RELATIONS[RELATION_OF[links.kinds[term]!]] === relation && ofTarget.has(term))
    .map(({ term, place }) => ({ place, weight: weightOf(index, term) }))
    .sort((a, b) => b.weight - a.weight || a.place - b.place)
    .slice(0, MOST_SHARED)
    .map(({ place }) => place)
}

const weightOf = ({ links, live, liveItems }: ItemIndex, term: number): number =>
  labelWeight(links.kinds[term]!, countMarked(links.postings.of(term), live), liveItems)

function makeRoom(items: number): void {
  if (items <= allItems.length) return
  products = grown(products, items)
  ranks = grown(ranks, items)
  targets = grown(targets, items)
  unlike = grown(unlike, items)
  for (const [relation, column] of unshared.entries()) unshared[relation] = grown(column, items)
  allItems = Uint32Array.from({ length: products.length }, (_, item) => item)
}

function measureShort({ links, items }: ItemIndex, source: number): void {
  links.short.askSlot(source)
  links.short.multiply(allItems.subarray(0, items), products)
}

function shareLabels(index: ItemIndex, source: number): void {
  const { links } = index
  for (const column of unshared) column.fill(1, 0, index.items)
  for (const term of links.termsOf(source)) {
    const weight = weightOf(index, term)
    if (weight <= 0) continue
    const column = unshared[RELATION_OF[links.kinds[term]!]]!
    const postings = links.postings.of(term)
    for (let at = 0; at < postings.length; at++) column[slotOf(postings[at]!)]! *= 1 - weight
  }
}

/** Of the items nearest by their short vectors, compares the combined vectors; both are of one embedder. */
function compareContent(index: ItemIndex, source: number, allowed: Uint8Array): void {
  const { spaceOf } = index
  for (let item = 0; item < index.items; item++) {
    if (spaceOf[item] !== spaceOf[source]) products[item] = 0
    ranks[item] = allowed[item] === 1 && item !== source ? products[item]! : 0
  }
  const near = best(ranks, index.items, CONTENT_CANDIDATES, byMediaId(index))
  const exact = new Int32Array(near.length)
  const vectors = index.vectorsOf(source)
  vectors.askSlot(index.endSlot[source]! - 1)
  vectors.multiply(
    near.map((item) => index.endSlot[item]! - 1),
    exact,
  )
  unlike.fill(1, 0, index.items)
  for (const [place, item] of near.entries()) unlike[item] = 1 - contentStrength(exact[place]! / (ONE * ONE))
}
