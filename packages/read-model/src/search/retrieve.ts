import type { SearchQuery } from '@medialog/application/ports'
import type { Uuid } from '@medialog/kernel'
import type { QueryWord } from '../analysis/analyzer.ts'
import { Asked } from './asked.ts'
import { areLatest, columnsFor, type Columns } from './columns.ts'
import type { ItemIndex } from './item-index.ts'
import { byMediaId, lexicalCandidates, matchedWords, scoreWords } from './lexical.ts'
import { boosted, CANDIDATE_DEPTH, combinedScore, lexicalScore } from './scorer.ts'
import { everything, preferred, select, type Selection } from './selection.ts'
import { chunkCosines } from './cosines.ts'
import { nearestItems, semanticCandidates } from './semantic.ts'
import { grown, joined } from './typed-arrays.ts'

/** A hit whose passage is still to be read: chunk `chunk` of the item in row `row`. */
export interface FoundItem {
  mediaId: Uuid
  row: number
  score: number
  lexical: number
  semantic: number
  matchedTerms: string[]
  chunk: number
}

export interface Found {
  hits: FoundItem[]
  total: number
  /** Surrogate key of a collection's generation to number of items. */
  places: Map<number, number>
}

/** Finds candidates on both sides, scores each of them exactly, and says how many there are and which are best. */
export function retrieve(
  index: ItemIndex,
  query: SearchQuery,
  words: readonly QueryWord[],
  placesSearched: ReadonlySet<number> | null,
): Found {
  const selection = select(index, query, placesSearched)
  if (selection.count === 0) return { hits: [], total: 0, places: new Map() }
  const scored = scoreCandidates(index, query, words, selection, query.maxResults)
  const { items, scores } = scored
  const { total, places } = reaching(index, query.minScore, items, scores)
  const matched = matchedWords(index, words)
  return {
    hits: top(index, items, scores, Math.min(total, query.maxResults)).map((place) =>
      describe(index, query, matched, scored, items[place]!, scores[place]!),
    ),
    total,
    places,
  }
}

/** Candidates with their scores, and what they were scored by: good until the next query. */
export interface Scored {
  asked: Asked
  columns: Columns
  /** See lexicalScale. */
  scale: number
  items: Uint32Array
  /** Place by place. */
  scores: Float64Array
}

/**
 * Of the candidates the `exactly` best have their own scores, and so does every one that `minScore` might leave out. Any
 * other has at least the score told.
 */
export function scoreCandidates(
  index: ItemIndex,
  query: SearchQuery,
  words: readonly QueryWord[],
  selection: Selection,
  exactly = Infinity,
): Scored {
  const ofWords = scoredWords(index, words)
  const { columns, scale } = ofWords
  const asked = new Asked(index, query.vectors)
  const bounded = selection.count > exactly
  const items = candidates(index, asked, selection, ofWords, bounded)
  const scored = new Float64Array(items.length)
  const result = { asked, columns, scale, items, scores: scored }
  const { highest, cosines, ceilings } = columns
  const lexical = new Float64Array(items.length)
  for (let place = 0; place < items.length; place++)
    lexical[place] = lexicalScore(highest[items[place]!]!, scale)
  const isPreferred = preferred(index, query)
  const scoreAt = (place: number, among: Float32Array): number => {
    const item = items[place]!
    const semantic = asked.semantic(item, among[item]!)
    const score = combinedScore(query.lexicalWeight, lexical[place]!, semantic)
    return isPreferred?.(item) ? boosted(score, query.modality!.weight) : score
  }
  for (let place = 0; place < items.length; place++) scored[place] = scoreAt(place, cosines)
  if (!bounded || items.length === 0) return result
  const page = leastOfHighest(scored, Math.min(exactly, items.length))
  const mayCount = (score: number): boolean => score > 0 && score >= query.minScore
  const open: number[] = []
  for (let place = 0; place < items.length; place++) {
    const item = items[place]!
    if (ceilings[item] === cosines[item]) continue
    const most = scoreAt(place, ceilings)
    if (most >= page || (mayCount(most) && !mayCount(scored[place]!))) open.push(place)
  }
  asked.scoreCosines(
    Uint32Array.from(open, (place) => items[place]!),
    columns,
  )
  for (const place of open) scored[place] = scoreAt(place, cosines)
  return result
}

interface ScoredWords extends Pick<Scored, 'columns' | 'scale'> {
  /** The best of all items by their words, where that is known: see lexicalCandidates. */
  best: Uint32Array | null
}

/** Words whose query is on its way. An index makes new norms with every change to what is scored. */
let ahead: (ScoredWords & { words: string; norms: Float32Array }) | null = null

/** Scores the words of a query that will be asked of this index next, as it is likely to be then. */
export function scoreAhead(index: ItemIndex, words: readonly QueryWord[]): void {
  const scored = scoreNow(index, words)
  const best = lexicalCandidates(index, scored.columns, everything(index))
  ahead = { words: named(words), norms: index.norms(), ...scored, best }
}

/** What was scored ahead, where it is these words and nothing came between, else what is scored now. */
function scoredWords(index: ItemIndex, words: readonly QueryWord[]): ScoredWords {
  const known = ahead
  ahead = null
  const holds =
    known && areLatest(known.columns) && known.norms === index.norms() && known.words === named(words)
  return holds ? known : scoreNow(index, words)
}

function scoreNow(index: ItemIndex, words: readonly QueryWord[]): ScoredWords {
  const columns = columnsFor(index.endSlot, index.items, index.slots)
  return { columns, scale: scoreWords(index, words, columns), best: null }
}

const named = (words: readonly QueryWord[]): string => words.map(({ word }) => word).join(' ')

type Scoring = Pick<Scored, 'asked' | 'columns' | 'scale'>

const sidesOf = ({ asked, columns: { highest, cosines }, scale }: Scoring, item: number) => ({
  lexical: lexicalScore(highest[item]!, scale),
  semantic: asked.semantic(item, cosines[item]!),
})

/** Of an item whose cosine was computed; without its modality. */
export function directScore(query: SearchQuery, scoring: Scoring, item: number): number {
  const { lexical, semantic } = sidesOf(scoring, item)
  return combinedScore(query.lexicalWeight, lexical, semantic)
}

/** A hit of that score, where the item's cosine was computed; see matchedWords. */
export const describe = (
  index: ItemIndex,
  query: SearchQuery,
  matched: (item: number) => string[],
  scoring: Scoring,
  item: number,
  score: number,
): FoundItem => ({
  mediaId: index.mediaIds[item]!,
  row: index.rows[item]!,
  score,
  ...sidesOf(scoring, item),
  matchedTerms: matched(item),
  chunk: bestChunk(index, query, scoring, item),
})

/** How many of the items reach the least score with one above 0, in all and by collection. */
export function reaching(index: ItemIndex, minScore: number, items: Uint32Array, scores: Float64Array) {
  const counts = new Uint32Array(index.placeKeys.length)
  let total = 0
  for (let place = 0; place < items.length; place++) {
    if (scores[place]! <= 0 || scores[place]! < minScore) continue
    counts[index.places[items[place]!]!]!++
    total++
  }
  const places = new Map<number, number>()
  for (const [place, key] of index.placeKeys.entries())
    if (counts[place]! > 0) places.set(key, counts[place]!)
  return { total, places }
}

/** The places of the `limit` highest scores, highest first, ties by media id. Sorts only what reaches the last. */
export function top(index: ItemIndex, items: Uint32Array, scores: Float64Array, limit: number): number[] {
  if (limit === 0) return []
  const cut = leastOfHighest(scores, limit)
  const reached: number[] = []
  for (let place = 0; place < scores.length; place++) if (scores[place]! >= cut) reached.push(place)
  const before = byMediaId(index)
  return reached.sort((a, b) => scores[b]! - scores[a]! || before(items[a]!, items[b]!)).slice(0, limit)
}

/** The `limit`th highest of the values. Most are below what was seen before: one comparison each. */
function leastOfHighest(values: Float64Array, limit: number): number {
  const highest = values.slice(0, limit).sort()
  for (let at = highest.length; at < values.length; at++) {
    const value = values[at]!
    if (value <= highest[0]!) continue
    let place = 1
    for (; place < highest.length && highest[place]! < value; place++) highest[place - 1] = highest[place]!
    highest[place - 1] = value
  }
  return highest[0]!
}

/** Of so few items selected the nearest are found by the cosines of all. */
const MOST_COMPARED = 1.5 * CANDIDATE_DEPTH

/**
 * The best of each side up to the candidate depth; all there are, where that is no more. Writes their cosines, or between
 * what they lie where `bounded`. An item of either side is scored on both.
 */
function candidates(
  index: ItemIndex,
  asked: Asked,
  selection: Selection,
  scored: ScoredWords,
  bounded: boolean,
): Uint32Array {
  const { columns } = scored
  const bound = (near: Uint32Array, others: Uint32Array): void => {
    if (bounded) asked.boundCosines({ near, others }, columns)
    else for (const items of [near, others]) asked.scoreCosines(items, columns)
  }
  if (selection.count > MOST_COMPARED) {
    const near = nearestItems(index, asked, selection, columns)
    const others = foundByWordsAlone(near, index, selection, scored)
    bound(near, others)
    return joined([near, others])
  }
  const all = selected(index, selection)
  if (selection.count <= CANDIDATE_DEPTH) {
    if (bounded) {
      asked.measure(all, columns)
      columns.findNearest(selection.items)
    }
    bound(all, NONE)
    return all
  }
  asked.scoreCosines(all, columns)
  const near = semanticCandidates(index, asked, all, columns)
  return joined([near, foundByWordsAlone(near, index, selection, scored)])
}

const NONE = new Uint32Array()

function selected(index: ItemIndex, selection: Selection): Uint32Array {
  const all = new Uint32Array(selection.count)
  for (let item = 0, count = 0; item < index.items; item++)
    if (selection.items[item] === 1) all[count++] = item
  return all
}

/** By item, kept between queries. */
let isNear = new Uint8Array()

/** The best by their words that are not near; writes over those that were known. */
function foundByWordsAlone(
  near: Uint32Array,
  index: ItemIndex,
  selection: Selection,
  { columns, best }: ScoredWords,
): Uint32Array {
  isNear = grown(isNear, index.items)
  isNear.fill(0)
  for (const item of near) isNear[item] = 1
  const isKnown = best !== null && selection.items === index.live
  const found = isKnown ? best : lexicalCandidates(index, columns, selection)
  let count = 0
  for (const item of found) if (isNear[item] === 0) found[count++] = item
  return found.subarray(0, count)
}

/** The ordinal of the best-scoring chunk; the head (0) only where no other chunk scores at all. */
function bestChunk(
  index: ItemIndex,
  query: SearchQuery,
  { asked, columns: { sums }, scale }: Scoring,
  item: number,
): number {
  const first = index.firstSlot[item]!
  const cosines = asked.ask(item) ? chunkCosines(index, item) : null
  let chosen = 0
  let highest = 0
  for (let ordinal = 1; first + ordinal < index.endSlot[item]! - 1; ordinal++) {
    const lexical = lexicalScore(sums[first + ordinal]!, scale)
    const semantic = cosines ? asked.semantic(item, cosines[ordinal]!) : 0
    const score = combinedScore(query.lexicalWeight, lexical, semantic)
    if (score > highest) {
      highest = score
      chosen = ordinal
    }
  }
  return chosen
}
