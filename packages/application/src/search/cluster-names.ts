import { connectingLabels, type CatalogItem } from '../ports/index.ts'

export interface SimilarMedia {
  item: CatalogItem
  score: number
  explanation: string
}

/** Results that belong together, best first. */
export interface Cluster {
  /** Made of what the members share; unique in the answer. */
  name: string
  members: SimilarMedia[]
}

/** Terms that make a name. */
const MOST_TERMS = 2

interface Term {
  name: string
  /** Members that have it. */
  inside: number
  /** Share of the members that have it, less the share of all other results that do. */
  contrast: number
}

/** What each result has that may go into a name: key to the name as the item has it. */
type Names = ReadonlyMap<SimilarMedia, ReadonlyMap<string, string>>

/**
 * Groups with names of what their members share: the topics, keywords and names that most members have and the fewest
 * others. Where they share none, one is called after its first member.
 */
export function namedClusters(groups: readonly (readonly SimilarMedia[])[]): Cluster[] {
  const names: Names = new Map(groups.flat().map((result) => [result, namesIn(result.item)]))
  const named = new Map<string, Cluster>()
  for (const group of groups) {
    const others = groups.filter((other) => other !== group).flat()
    const name = nameOf(group, others, names)
    let unique = name
    for (let number = 2; named.has(unique); number++) unique = `${name} (${number})`
    named.set(unique, { name: unique, members: [...group] })
  }
  return [...named.values()]
}

function nameOf(members: readonly SimilarMedia[], others: readonly SimilarMedia[], names: Names): string {
  const terms = termsOf(members, others, names)
  const shared = terms.filter(({ inside }) => inside > 1)
  const candidates = [
    shared.filter(({ inside }) => inside * 2 >= members.length),
    shared,
    members.length === 1 ? terms : [],
  ]
  const chosen = candidates.find((some) => some.length > 0)?.slice(0, MOST_TERMS)
  return chosen?.map(({ name }) => name).join(', ') ?? `like ${members[0]!.item.filename}`
}

/** The telling ones first. */
function termsOf(members: readonly SimilarMedia[], others: readonly SimilarMedia[], names: Names): Term[] {
  const outside = counted(others, names)
  return [...counted(members, names)]
    .map(([key, { name, count }]): Term => {
      const elsewhere = outside.get(key)?.count ?? 0
      const contrast = count / members.length - (others.length > 0 ? elsewhere / others.length : 0)
      return { name, inside: count, contrast }
    })
    .sort((a, b) => b.contrast - a.contrast || b.inside - a.inside)
}

/** Each term once an item, whatever kinds of label it has there, in the order in which items name them. */
function counted(
  results: readonly SimilarMedia[],
  names: Names,
): Map<string, { name: string; count: number }> {
  const counts = new Map<string, { name: string; count: number }>()
  for (const result of results) {
    for (const [key, name] of names.get(result)!) {
      const known = counts.get(key)
      counts.set(key, { name: known?.name ?? name, count: (known?.count ?? 0) + 1 })
    }
  }
  return counts
}

/** Topics are made to be read as headings, so of equally good terms they come first. */
function namesIn(item: CatalogItem): Map<string, string> {
  const labels = connectingLabels(item).filter(({ relation }) => relation !== 'same_source')
  const topics = labels.filter(({ kind }) => kind === 'topic')
  const names = new Map<string, string>()
  for (const { kind, name, key } of [...topics, ...labels]) {
    const bare = key.slice(kind.length + 1)
    if (!names.has(bare)) names.set(bare, name)
  }
  return names
}
