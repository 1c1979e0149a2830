import type { estypes } from '@elastic/elasticsearch'
import { DEFAULT_COLLECTION } from '@medialog/domain'
import type { QueryWord } from '../../analysis/analyzer.ts'
import { idf, lexicalScale } from '../../search/scorer.ts'
import { collectionRecords } from '../catalog/collections.ts'
import { tokenOf } from '../catalog/documents.ts'
import type { Query } from '../query.ts'
import type { Library } from './library.ts'
import type { WeightedTerm } from './queries.ts'

/** What scores depend on besides the item: of all living chunks of the account, whatever the filters. */
export interface AccountTerms {
  /** The query's terms that occur, the rarest first. */
  terms: WeightedTerm[]
  averageLength: number
  /** See lexicalScale. */
  scale: number
  /** The spaces that its vectors are in. */
  spaces: string[]
  items: number
  /** Items that pass the filters. */
  passing: number
}

export interface Statistics extends AccountTerms {
  /** The embedders that its vectors are of. */
  models: string[]
  /** See PreparedSearch. */
  collections: string[]
}

/** Filters of one aggregation, and clauses of one query, may be that many. */
const MOST_FILTERS = 500
const MOST_TERMS = 1_000
/** An account is re-embedded from one embedder to another: two are usual. */
const MOST_SPACES = 100
/** Of an account with more they are read by themselves. */
const MOST_COLLECTIONS = 10_000

interface Names {
  buckets: { key: string }[]
  sum_other_doc_count: number
}

interface Found {
  passing: { doc_count: number }
  spaces: Names
  models: Names
  collections: Names
  chunks: {
    written: { doc_count: number; length: { value: number } }
    [group: `terms${number}`]: { buckets: { doc_count: number }[] }
  }
}

/** `passing`: what the filters let through. `named`: the collections asked for; null for all. */
export async function readStatistics(
  library: Library,
  words: readonly QueryWord[],
  passing: Query[],
  named: readonly string[] | null,
): Promise<Statistics> {
  const tokens = [...new Set(words.flatMap(({ terms }) => terms.map(tokenOf)))]
  const { hits, aggregations } = await library.search<never, Found>({
    size: 0,
    track_total_hits: true,
    query: { bool: { filter: library.living } },
    aggs: {
      passing: { filter: { bool: { filter: passing } } },
      spaces: { terms: { field: 'space', size: MOST_SPACES } },
      models: { terms: { field: 'model', size: MOST_SPACES } },
      collections: {
        terms: { field: 'collection', size: MOST_COLLECTIONS, ...(named && { include: [...named] }) },
      },
      chunks: {
        nested: { path: 'chunks' },
        aggs: {
          written: {
            filter: { range: { 'chunks.ordinal': { gte: 0 } } },
            aggs: { length: { sum: { field: 'chunks.length' } } },
          },
          ...countsOf(tokens),
        },
      },
    },
  })
  const { chunks, spaces, models, passing: passed, collections } = aggregations!
  const { doc_count: count, length } = chunks.written
  const idfs = tokens.map((token, at) => {
    const holding = chunks[`terms${Math.floor(at / MOST_FILTERS)}`]!.buckets[at % MOST_FILTERS]!.doc_count
    return { token, idf: idf(count, holding), occurs: holding > 0 }
  })
  return {
    terms: idfs
      .filter(({ occurs }) => occurs)
      .sort((a, b) => b.idf - a.idf)
      .slice(0, MOST_TERMS)
      .map(({ token, idf }) => ({ token, idf })),
    averageLength: count > 0 ? length.value / count : 0,
    scale: lexicalScale(idfs.map(({ idf }) => idf)),
    spaces: namesIn(spaces),
    models: namesIn(models),
    collections: await collectionsOf(library, collections, named),
    items: (hits.total as estypes.SearchTotalHits).value,
    passing: passed.doc_count,
  }
}

const namesIn = ({ buckets }: Names): string[] => buckets.map(({ key }) => key)

async function collectionsOf(
  { client, index, account }: Library,
  found: Names,
  named: readonly string[] | null,
): Promise<string[]> {
  const there = new Set(namesIn(found)).add(DEFAULT_COLLECTION)
  if (named) return [...new Set(named)].filter((name) => there.has(name))
  if (found.sum_other_doc_count > 0)
    for (const { collection } of await collectionRecords(client, index, account)) there.add(collection)
  return [DEFAULT_COLLECTION, ...[...there].filter((name) => name !== DEFAULT_COLLECTION).sort()]
}

function countsOf(tokens: readonly string[]): Record<string, estypes.AggregationsAggregationContainer> {
  const groups: [name: string, counts: estypes.AggregationsAggregationContainer][] = []
  for (let from = 0; from < tokens.length; from += MOST_FILTERS) {
    const filters = tokens
      .slice(from, from + MOST_FILTERS)
      .map((token) => ({ term: { 'chunks.terms': token } }))
    groups.push([`terms${from / MOST_FILTERS}`, { filters: { filters } }])
  }
  return Object.fromEntries(groups)
}
