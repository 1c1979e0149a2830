import type { Client } from '@elastic/elasticsearch'
import type { PreparedSearch, Search, TextQuery } from '@medialog/application/ports'
import { Analyzer } from '../../analysis/analyzer.ts'
import { readCheckpoint } from '../checkpoint.ts'
import { unavailableWhenAway } from '../connection.ts'
import { aliasOf } from '../indices.ts'
import { findConnected } from './advanced.ts'
import { Library } from './library.ts'
import { findHits } from './page.ts'
import { Ranking } from './ranking.ts'
import { selection } from './selection.ts'
import { findSimilar } from './similar.ts'
import { readStatistics } from './statistics.ts'

export interface ElasticsearchSearchOptions {
  client: Client
  /** See openIndexStore. */
  prefix: string
}

/**
 * Search over the catalog's index, in two requests: one for what scores depend on besides the item, one that ranks, counts
 * and shows. Of more items than the candidate depth, one between them finds the best of each side. The formulas are those
 * of search/scorer.ts, with the account's own statistics.
 */
export function openElasticsearchSearch({ client, prefix }: ElasticsearchSearchOptions): Search {
  const index = aliasOf(prefix, 'catalog')
  const analyzer = new Analyzer()

  return {
    ...unavailableWhenAway({
      async prepare(query: TextQuery) {
        const library = new Library(client, index, query.accountId)
        const words = analyzer.query(query.text)
        const passing = selection(index, query)
        const { models, collections, ...terms } = await readStatistics(
          library,
          words,
          passing,
          query.collections,
        )
        return {
          models,
          collections,
          ...unavailableWhenAway<Pick<PreparedSearch, 'search' | 'advanced'>>({
            search: (vectors) => findHits(new Ranking(library, query, vectors, terms), words, passing),
            advanced: (vectors, reach) =>
              findConnected(new Ranking(library, query, vectors, terms), words, passing, reach),
          }),
        }
      },
      similar: (query: Parameters<Search['similar']>[0]) =>
        findSimilar(new Library(client, index, query.accountId), query),
      position: async () => (await readCheckpoint(client, index)).position,
    }),
    mostVectors: () => Infinity,
    close: async () => undefined,
  }
}
