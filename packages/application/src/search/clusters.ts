/** More groups than this are no overview. */
const MOST_CLUSTERS = 8
/** Below this mean silhouette a partition tells nothing: all stay together. */
const LEAST_SILHOUETTE = 0.1
/** What is nearer than this is the same: rounding makes no groups. */
const LEAST_DISTANCE = 0.01

/**
 * Groups unit vectors by average linkage over 1 − cosine (Sokal and Michener 1958), cut into as many groups, 2 to 8, as
 * give the best mean silhouette (Rousseeuw 1987); one group where none is worth it. Answers places in `vectors`: groups
 * by their first member, members in their order. The same for the same vectors, always: of equal pairs the first is
 * joined, of equal cuts the one with fewer groups is taken. At most a few hundred vectors: time grows with their cube.
 */
export function clustersOf(vectors: readonly Float32Array[]): number[][] {
  const count = vectors.length
  if (count === 0) return []
  const distances = vectors.map((a) => vectors.map((b) => 1 - cosine(a, b)))
  let best: { groups: number[][]; silhouette: number } = {
    groups: [vectors.map((_, place) => place)],
    silhouette: LEAST_SILHOUETTE,
  }
  for (const groups of partitions(distances)) {
    if (groups.length > MOST_CLUSTERS || groups.length < 2) continue
    const silhouette = meanSilhouette(groups, distances)
    if (silhouette >= best.silhouette) best = { groups, silhouette }
  }
  return best.groups
}

function cosine(a: Float32Array, b: Float32Array): number {
  let sum = 0
  for (let index = 0; index < a.length; index++) sum += a[index]! * b[index]!
  return sum
}

/** Every partition on the way from single vectors to one group; a group stands where its first member does. */
function* partitions(distances: readonly (readonly number[])[]): Generator<number[][]> {
  let groups = distances.map((_, place) => [place])
  const linkage = distances.map((row) => [...row])
  while (groups.length > 1) {
    yield groups
    const [first, second] = nearestPair(linkage)
    const sizes = [groups[first]!.length, groups[second]!.length] as const
    for (let other = 0; other < groups.length; other++) {
      const merged =
        (sizes[0] * linkage[first]![other]! + sizes[1] * linkage[second]![other]!) / (sizes[0] + sizes[1])
      linkage[first]![other] = linkage[other]![first] = merged
    }
    linkage.splice(second, 1)
    for (const row of linkage) row.splice(second, 1)
    const together = [...groups[first]!, ...groups[second]!].sort((a, b) => a - b)
    groups = groups.with(first, together).toSpliced(second, 1)
  }
}

function nearestPair(linkage: readonly (readonly number[])[]): [number, number] {
  let pair: [number, number] = [0, 1]
  for (let first = 0; first < linkage.length; first++)
    for (let second = first + 1; second < linkage.length; second++)
      if (linkage[first]![second]! < linkage[pair[0]]![pair[1]]!) pair = [first, second]
  return pair
}

/** A vector alone in its group counts 0. */
function meanSilhouette(
  groups: readonly (readonly number[])[],
  distances: readonly (readonly number[])[],
): number {
  let sum = 0
  for (const own of groups) {
    if (own.length === 1) continue
    for (const member of own) {
      const mean = (group: readonly number[], size: number) =>
        group.reduce((total, other) => total + distances[member]![other]!, 0) / size
      const inside = mean(own, own.length - 1)
      const outside = Math.min(
        ...groups.filter((group) => group !== own).map((group) => mean(group, group.length)),
      )
      sum += (outside - inside) / Math.max(inside, outside, LEAST_DISTANCE)
    }
  }
  return sum / distances.length
}
