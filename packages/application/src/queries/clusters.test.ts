import { expect, test } from 'vitest'
import type { SimilarMedia } from '../application.ts'
import type { CatalogItem } from '../ports/index.ts'
import { namedClusters } from './cluster-names.ts'
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

test('names what is alone by itself, what shares nothing by its first member, and no two the same', () => {
  const alone = result('alone.txt', ['music'], ['drum', 'band'])
  const nothing = [result('x.txt', ['a']), result('y.txt', ['b'])]
  expect(names([alone], nothing)).toEqual(['music, drum', 'like x.txt'])
  const twins = [result('p.txt', ['same']), result('q.txt', ['same'])]
  expect(names(twins, twins)).toEqual(['same', 'same (2)'])
})
