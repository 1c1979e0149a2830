import type { Cluster, SimilarMedia } from '../application.ts'
import { connectingLabels, type CatalogItem } from '../ports/index.ts'

/** Terms that make a name. */
const MOST_TERMS = 2

interface Term {
  name: string
  /** Members that have it. */
  inside: number
  /** Share of the members that have it, less the share of all other results that do. */
  contrast: number
}

/**
 * Groups with names of what their members share: the topics, keywords and names that most members have and the fewest
 * others. Where they share none, one is called after its first member.
 */
export function namedClusters(groups: readonly (readonly SimilarMedia[])[]): Cluster[] {
  const named = new Map<string, Cluster>()
  for (const group of groups) {
    const others = groups.filter((other) => other !== group).flat()
    const name = nameOf(group, others)
    let unique = name
    for (let number = 2; named.has(unique); number++) unique = `${name} (${number})`
    named.set(unique, { name: unique, members: [...group] })
  }
  return [...named.values()]
}

function nameOf(members: readonly SimilarMedia[], others: readonly SimilarMedia[]): string {
  const terms = termsOf(members, others)
  const shared = terms.filter(({ inside }) => inside > 1 && inside * 2 >= members.length)
  const chosen = [shared, terms.filter(({ inside }) => inside > 1), members.length === 1 ? terms : []].find(
    (some) => some.length > 0,
  )
  return (
    chosen
      ?.slice(0, MOST_TERMS)
      .map(({ name }) => name)
      .join(', ') ?? `like ${members[0]!.item.filename}`
  )
}

/** The telling ones first. */
function termsOf(members: readonly SimilarMedia[], others: readonly SimilarMedia[]): Term[] {
  const outside = counted(others)
  return [...counted(members)]
    .map(([key, { name, count }]): Term => {
      const elsewhere = outside.get(key)?.count ?? 0
      const contrast = count / members.length - (others.length > 0 ? elsewhere / others.length : 0)
      return { name, inside: count, contrast }
    })
    .sort((a, b) => b.contrast - a.contrast || b.inside - a.inside)
}

/** Each term once an item, whatever kinds of label it has there, in the order in which items name them. */
function counted(results: readonly SimilarMedia[]): Map<string, { name: string; count: number }> {
  const counts = new Map<string, { name: string; count: number }>()
  for (const { item } of results) {
    for (const [key, name] of namesIn(item)) {
      const known = counts.get(key)
      counts.set(key, { name: known?.name ?? name, count: (known?.count ?? 0) + 1 })
    }
  }
  return counts
}

function namesIn(item: CatalogItem): Map<string, string> {
  const labels = connectingLabels(item).filter(({ relation }) => relation !== 'same_source')
  // Topics are made to be read as headings, so of equally good terms they come first.
  const topicsFirst = [
    ...labels.filter(({ kind }) => kind === 'topic'),
    ...labels.filter(({ kind }) => kind !== 'topic'),
  ]
  const names = new Map<string, string>()
  for (const { name } of topicsFirst) {
    const key = name.normalize('NFKC').toLowerCase()
    if (!names.has(key)) names.set(key, name)
  }
  return names
}
