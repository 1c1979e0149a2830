import type { Client } from '@elastic/elasticsearch'
import type { Search, SearchAnswer, SearchQuery } from '@medialog/application/ports'
import { Analyzer } from '../../analysis/analyzer.ts'
import { readCheckpoint } from '../checkpoint.ts'
import { unavailableWhenAway } from '../connection.ts'
import { aliasOf } from '../indices.ts'
import { readAccountTerms } from './account-terms.ts'
import { findConnected } from './advanced.ts'
import { Library } from './library.ts'
import { described, hitOf } from './page.ts'
import { ranked, reaching, Scoring } from './scoring.ts'
import { preferred, selection } from './selection.ts'
import { findSimilar } from './similar.ts'

export interface ElasticsearchSearchOptions {
  client: Client
  /** See openIndexStore. */
  prefix: string
}

/**
 * Search over the catalog's index. Elasticsearch finds candidates and computes what needs the whole index; what a score
 * is made of is the one scorer's (search/scorer.ts), with the account's own statistics.
 */
export function openElasticsearchSearch({ client, prefix }: ElasticsearchSearchOptions): Search {
  const index = aliasOf(prefix, 'catalog')
  const analyzer = new Analyzer()

  async function search(query: SearchQuery): Promise<SearchAnswer> {
    const library = new Library(client, index, query.accountId)
    const words = analyzer.query(query.text)
    const passing = selection(index, query)
    const terms = await readAccountTerms(library, words, passing)
    if (terms.passing === 0) return { hits: [], total: 0, distribution: {} }
    const scoring = new Scoring(library, query, terms)
    const candidates = await scoring.candidates(passing, terms.passing, preferred(query))
    const { reached, total, distribution } = reaching(candidates, query.minScore)
    const page = await described(scoring, words, ranked(reached).slice(0, query.maxResults))
    return { hits: page.map(hitOf), total, distribution }
  }

  return {
    ...unavailableWhenAway({
      search,
      advanced: (query: Parameters<Search['advanced']>[0]) =>
        findConnected(new Library(client, index, query.accountId), query, analyzer.query(query.text)),
      similar: (query: Parameters<Search['similar']>[0]) =>
        findSimilar(new Library(client, index, query.accountId), query),
      position: async () => (await readCheckpoint(client, index)).position,
    }),
    // Nothing is kept between queries that could be made ready.
    announce: () => undefined,
    mostVectors: () => Infinity,
    close: async () => undefined,
  }
}
