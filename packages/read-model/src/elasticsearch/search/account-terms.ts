import type { estypes } from '@elastic/elasticsearch'
import type { QueryWord } from '../../analysis/analyzer.ts'
import { idf, lexicalScale } from '../../search/scorer.ts'
import { tokenOf } from '../catalog/documents.ts'
import type { Query } from '../query.ts'
import type { Library } from './library.ts'
import type { WeightedTerm } from './queries.ts'

/** What a search depends on besides the item: of all living chunks of the account, whatever the filters. */
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

/** Filters of one aggregation, and clauses of one query, may be that many. */
const MOST_FILTERS = 500
const MOST_TERMS = 1_000
/** An account is embedded anew from one embedder to another: two are usual. */
const MOST_SPACES = 100

interface Found {
  passing: { doc_count: number }
  spaces: { buckets: { key: string }[] }
  chunks: {
    written: { doc_count: number; length: { value: number } }
    [group: `terms${number}`]: { buckets: { doc_count: number }[] }
  }
}

export async function readAccountTerms(
  library: Library,
  words: readonly QueryWord[],
  passing: Query[],
): Promise<AccountTerms> {
  const tokens = [...new Set(words.flatMap(({ terms }) => terms.map(tokenOf)))]
  const { hits, aggregations } = await library.search<never, Found>({
    size: 0,
    track_total_hits: true,
    query: { bool: { filter: library.living } },
    aggs: {
      passing: { filter: { bool: { filter: passing } } },
      spaces: { terms: { field: 'space', size: MOST_SPACES } },
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
  const { chunks, spaces, passing: passed } = aggregations!
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
    spaces: spaces.buckets.map(({ key }) => key),
    items: (hits.total as estypes.SearchTotalHits).value,
    passing: passed.doc_count,
  }
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
