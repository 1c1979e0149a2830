import { RELATIONS, type LabelKind, type Relation } from '@medialog/application/ports'
import { best } from './best.ts'
import {
  connectionRank,
  CONTENT_CANDIDATES,
  contentStrength,
  LABEL_WEIGHT,
  LEAST_STRENGTH,
  MOST_SHARED,
  rarity,
} from './connection-scorer.ts'
import { ONE } from './fixed-point.ts'
import type { ItemIndex } from './item-index.ts'
import { byMediaId } from './lexical.ts'
import { slotOf } from './postings.ts'
import { grown } from './typed-arrays.ts'

/** A connection from one item of the index to another. */
export interface Edge {
  source: number
  target: number
  relation: Relation
  strength: number
}

const RELATION_OF: Readonly<Record<LabelKind, number>> = {
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

/** Columns by item, kept between calls; only what one has touched is cleared after it. */
let allItems = new Uint32Array()
let products = new Int32Array()
let ranks = new Float32Array()
/** By relation and item: Π (1 − weight × rarity) of the labels shared so far; 1 where none is. */
const unshared: Float64Array[] = RELATIONS.slice(0, BY_CONTENT).map(() => new Float64Array())
let strengths = new Float64Array()
let relations = new Uint8Array()
let isTouched = new Uint8Array()
let touched: number[] = []

/** The item's strongest connections with items that `allowed` marks, strongest first; see connectionRank for ties. */
export function strongest(index: ItemIndex, source: number, allowed: Uint8Array, limit: number): Edge[] {
  makeRoom(index.items)
  measureShort(index, source)
  shareLabels(index, source, allowed)
  compareContent(index, source, allowed)
  let count = 0
  const targets = new Uint32Array(touched.length)
  for (const target of touched) {
    if (strengths[target]! < LEAST_STRENGTH) continue
    ranks[count] = connectionRank(strengths[target]!, shortCosine(target))
    targets[count++] = target
  }
  const before = byMediaId(index)
  const order = (a: number, b: number): number => ranks[b]! - ranks[a]! || before(targets[a]!, targets[b]!)
  const chosen = [...best(ranks, count, limit, (a, b) => before(targets[a]!, targets[b]!))].sort(order)
  const edges = chosen.map((place): Edge => {
    const target = targets[place]!
    return { source, target, relation: RELATIONS[relations[target]!]!, strength: strengths[target]! }
  })
  clear()
  return edges
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

/** What sharing the label says; 0 where nobody else has it. */
function weightOf({ links, live, liveItems }: ItemIndex, term: number): number {
  const holders = links.postings.count(term, live)
  return holders < 2 ? 0 : LABEL_WEIGHT[links.kinds[term]!] * rarity(holders, liveItems)
}

function makeRoom(items: number): void {
  if (items <= allItems.length) return
  ranks = grown(ranks, items)
  products = grown(products, items)
  strengths = grown(strengths, items)
  relations = grown(relations, items)
  isTouched = grown(isTouched, items)
  for (const [relation, column] of unshared.entries()) unshared[relation] = grown(column, items).fill(1)
  allItems = Uint32Array.from({ length: strengths.length }, (_, item) => item)
}

const shortCosine = (item: number): number => products[item]! / (ONE * ONE)

function measureShort({ links, items }: ItemIndex, source: number): void {
  links.short.askSlot(source)
  links.short.multiply(allItems.subarray(0, items), products)
}

function shareLabels(index: ItemIndex, source: number, allowed: Uint8Array): void {
  const { links } = index
  for (const term of links.termsOf(source)) {
    const weight = weightOf(index, term)
    if (weight <= 0) continue
    const relation = RELATION_OF[links.kinds[term]!]
    const column = unshared[relation]!
    links.postings.each(term, (posting) => {
      const item = slotOf(posting)
      if (allowed[item] === 0 || item === source) return
      touch(item)
      column[item]! *= 1 - weight
      // Sources come before entities, those before topics: of equal strengths the first stays.
      const strength = 1 - column[item]!
      if (strength > strengths[item]!) {
        strengths[item] = strength
        relations[item] = relation
      }
    })
  }
}

/** Of the items nearest by their short vectors, compares the combined vectors. */
function compareContent(index: ItemIndex, source: number, allowed: Uint8Array): void {
  for (let item = 0; item < index.items; item++)
    ranks[item] = allowed[item] === 1 && item !== source ? products[item]! : 0
  const near = best(ranks, index.items, CONTENT_CANDIDATES, byMediaId(index))
  index.vectors.askSlot(index.endSlot[source]! - 1)
  const exact = new Int32Array(near.length)
  index.vectors.multiply(
    near.map((item) => index.endSlot[item]! - 1),
    exact,
  )
  for (const [place, item] of near.entries()) {
    const strength = contentStrength(exact[place]! / (ONE * ONE))
    if (strength <= 0) continue
    touch(item)
    if (strength > strengths[item]!) {
      strengths[item] = strength
      relations[item] = BY_CONTENT
    }
  }
}

function touch(item: number): void {
  if (isTouched[item] === 1) return
  isTouched[item] = 1
  touched.push(item)
}

function clear(): void {
  for (const item of touched) {
    isTouched[item] = 0
    strengths[item] = 0
    relations[item] = 0
    for (const column of unshared) column[item] = 1
  }
  touched = []
}
