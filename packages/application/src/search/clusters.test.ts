import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { CatalogItem } from '../ports/index.ts'
import { namedClusters, type SimilarMedia } from './cluster-names.ts'
import { clustersOf } from './clusters.ts'

/** A unit vector near an axis, a little towards the next ones. */
function near(axis: number, number: number): Float32Array {
  const vector = new Float32Array(64)
  vector[axis] = 1
  vector[axis + 1 + (number % 5)] = 0.3 + 0.02 * number
  const length = Math.hypot(...vector)
  return vector.map((value) => value / length)
}

test('puts together what belongs together, whatever the order', () => {
  const axes = [0, 20, 0, 40, 20, 0, 40, 20, 0]
  const groups = clustersOf(axes.map((axis, number) => near(axis, number)))
  expect(groups).toEqual([
    [0, 2, 5, 8],
    [1, 4, 7],
    [3, 6],
  ])
  const reversed = clustersOf(axes.map((axis, number) => near(axis, number)).reverse())
  expect(reversed.map((group) => group.length).sort((a, b) => a - b)).toEqual([2, 3, 4])
})

test('leaves one group where nothing tells the vectors apart', () => {
  const same = Array.from({ length: 6 }, () => near(3, 1))
  expect(clustersOf(same)).toEqual([[0, 1, 2, 3, 4, 5]])
  expect(clustersOf(same.slice(0, 2))).toEqual([[0, 1]])
  expect(clustersOf(same.slice(0, 1))).toEqual([[0]])
  expect(clustersOf([])).toEqual([])
})

/** Mean distance of a vector to others; of pairs of two groups. */
const between = (vectors: readonly Float32Array[], some: readonly number[], others: readonly number[]) => {
  const distances = some.flatMap((a) =>
    others.map((b) => 1 - vectors[a]!.reduce((sum, value, place) => sum + value * vectors[b]![place]!, 0)),
  )
  return distances.reduce((sum, distance) => sum + distance, 0) / distances.length
}

/** The same by its definition, each distance between groups worked out from their pairs. */
function clustersByDefinition(vectors: readonly Float32Array[]): number[][] {
  let groups = vectors.map((_, place) => [place])
  const partitions = [groups]
  while (groups.length > 2) {
    const pairs = groups.flatMap((a, first) => groups.slice(first + 1).map((b) => [a, b] as const))
    const nearest = pairs.toSorted(([a, b], [c, d]) => between(vectors, a, b) - between(vectors, c, d))[0]!
    const joined = [...nearest[0], ...nearest[1]].sort((a, b) => a - b)
    groups = groups
      .map((group) => (group === nearest[0] ? joined : group))
      .filter((group) => group !== nearest[1])
    partitions.push(groups)
  }
  const silhouette = (partition: number[][]) =>
    partition
      .filter((own) => own.length > 1)
      .flatMap((own) =>
        own.map((member) => {
          const inside = (between(vectors, [member], own) * own.length) / (own.length - 1)
          const outside = Math.min(
            ...partition.filter((group) => group !== own).map((group) => between(vectors, [member], group)),
          )
          return (outside - inside) / Math.max(inside, outside)
        }),
      )
      .reduce((sum, value) => sum + value, 0) / vectors.length
  const best = partitions
    .filter(({ length }) => length <= 8 && length < vectors.length)
    .toSorted((a, b) => silhouette(b) - silhouette(a) || a.length - b.length)[0]!
  return silhouette(best) >= 0.1 ? best : [vectors.map((_, place) => place)]
}

test('groups any vectors as average linkage and the mean silhouette are defined', () => {
  const unit = fc
    .array(fc.integer({ min: -50, max: 50 }), { minLength: 3, maxLength: 3 })
    .filter((values) => values.some((value) => value !== 0))
    .map((values) => Float32Array.from(values, (value) => value / Math.hypot(...values)))
  fc.assert(
    fc.property(fc.array(unit, { minLength: 4, maxLength: 9 }), (vectors) => {
      // What is nearly the same, or as near as another pair, may be joined in another order.
      const all = vectors.flatMap((_, a) =>
        vectors.slice(a + 1).map((__, b) => between(vectors, [a], [a + 1 + b])),
      )
      const sorted = all.toSorted((a, b) => a - b)
      fc.pre(
        sorted[0]! > 0.02 && sorted.every((value, place) => place === 0 || value - sorted[place - 1]! > 1e-4),
      )
      expect(clustersOf(vectors)).toEqual(clustersByDefinition(vectors))
    }),
    { numRuns: 200 },
  )
})

test('makes at most eight groups', () => {
  const twelve = Array.from({ length: 36 }, (_, number) => near((number % 12) * 5, number))
  expect(clustersOf(twelve).length).toBeLessThanOrEqual(8)
  expect(
    clustersOf(twelve)
      .flat()
      .sort((a, b) => a - b),
  ).toEqual(twelve.map((_, number) => number))
})

function result(filename: string, topics: string[], keywords: string[] = []): SimilarMedia {
  const entities = { people: [], organizations: [], locations: [], objects: [], concepts: [] }
  const item = {
    filename,
    extraction: { author: null, facts: { mediaType: 'document' } },
    enrichment: { topics, keywords, entities },
  } as unknown as CatalogItem
  return { item, score: 0.5, explanation: '' }
}
const names = (...groups: SimilarMedia[][]) => namedClusters(groups).map(({ name }) => name)

test('names groups by what most members share and others do not', () => {
  const whales = [
    result('a.txt', ['science'], ['Blue Whale', 'ocean']),
    result('b.txt', ['science'], ['blue whale', 'krill']),
    result('c.txt', [], ['blue whale', 'ocean']),
  ]
  const stars = [
    result('d.txt', ['science', 'astronomy'], ['star']),
    result('e.txt', ['astronomy'], ['orbit']),
  ]
  expect(names(whales, stars)).toEqual(['Blue Whale, ocean', 'astronomy'])
})

test('names a single item after itself, items that share nothing after the first, and no two the same', () => {
  const alone = result('alone.txt', ['music'], ['drum', 'band'])
  const nothing = [result('x.txt', ['a']), result('y.txt', ['b'])]
  expect(names([alone], nothing)).toEqual(['music, drum', 'like x.txt'])
  const twins = [result('p.txt', ['same']), result('q.txt', ['same'])]
  expect(names(twins, twins)).toEqual(['same', 'same (2)'])
})
