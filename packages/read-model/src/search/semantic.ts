import type { Asked } from './asked.ts'
import { best } from './best.ts'
import { FARTHEST, type Columns } from './columns.ts'
import type { ItemIndex } from './item-index.ts'
import { byMediaId } from './lexical.ts'
import { CANDIDATE_DEPTH } from './scorer.ts'
import type { Selection } from './selection.ts'
import { grown, joined } from './typed-arrays.ts'

/** Where more tie with the last than these, some of them are left out. */
const MOST_NEAREST = 1.1 * CANDIDATE_DEPTH

/**
 * The items selected that come nearest in their space by the signature of any of their slots: CANDIDATE_DEPTH of each space
 * and those that tie with the last; where that is more than MOST_NEAREST, of those that tie the first by media id. Measures
 * the signatures of all items, and writes the least distance of each that is selected.
 */
export function nearestItems(
  index: ItemIndex,
  asked: Asked,
  selection: Selection,
  columns: Columns,
): Uint32Array {
  measureAll(index, asked, columns)
  const nearest = asked.spaces.map((one) => nearestIn(index, asked.markedIn(one, selection.items), columns))
  // So far the least distances are written of the last space alone.
  if (nearest.length > 1) columns.findNearest(selection.items)
  return joined(nearest)
}

function nearestIn(index: ItemIndex, selected: Uint8Array, columns: Columns): Uint32Array {
  const counts = columns.findNearest(selected)
  let cut = 0
  for (let passed = counts[0]!; passed < CANDIDATE_DEPTH && cut < FARTHEST;) passed += counts[++cut]!
  // A copy: each call is answered in the same memory.
  const within = columns.itemsWithin(cut).slice()
  if (within.length <= MOST_NEAREST) return within
  const { nearest } = columns
  const nearer = within.filter((item) => nearest[item]! < cut)
  const tied = within.filter((item) => nearest[item] === cut).sort(byMediaId(index))
  return joined([nearer, tied.subarray(0, CANDIDATE_DEPTH - nearer.length)])
}

/** Measures the signatures of every slot. */
function measureAll({ runs, slots }: ItemIndex, asked: Asked, { distances }: Columns): void {
  for (const { space, vector, place } of asked.spaces) {
    space.vectors.ask(vector)
    for (const [at, { first, place: of }] of runs.entries())
      if (of === place) space.vectors.measure(first, distances.subarray(first, runs[at + 1]?.first ?? slots))
  }
}

/** Kept between queries. */
let nearnessListed = new Float32Array()

/** Of the items listed the nearest, up to the candidate depth; their cosines were computed. */
export function semanticCandidates(
  index: ItemIndex,
  asked: Asked,
  items: Uint32Array,
  columns: Columns,
): Uint32Array {
  nearnessListed = grown(nearnessListed, items.length)
  // Shifted above 0, where `best` looks.
  for (let place = 0; place < items.length; place++) {
    const nearness = asked.nearness(items[place]!, columns)
    nearnessListed[place] = nearness === null ? 0 : Math.max(-1, nearness) + 2
  }
  const before = byMediaId(index)
  const places = best(nearnessListed, items.length, CANDIDATE_DEPTH, (a, b) => before(items[a]!, items[b]!))
  for (let place = 0; place < places.length; place++) places[place] = items[places[place]!]!
  return places
}
