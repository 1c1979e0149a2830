import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Catalog, Search } from '@medialog/application/ports'
import { mostVectors } from '../search/vectors.ts'
import { Searcher } from '../sqlite/search/searcher.ts'
import { preparing } from '../sqlite/search/preparing.ts'
import type { DatabaseSource } from '../sqlite/source.ts'

/** Search on the caller's thread that reads one row of the catalog at a time: what a slice may end between, ends there. */
export function openSlicedSearch(source: DatabaseSource, catalog: Catalog): Search {
  const searcher = new Searcher(source, 2 ** 26, 0)
  async function answered<T>(ask: () => T | null): Promise<T> {
    for (;;) {
      const answer = ask()
      if (answer !== null) return answer
      await nextTurn()
    }
  }
  return {
    prepare: preparing(catalog, {
      announce: () => undefined,
      search: (query) => answered(() => searcher.search(query)),
      advanced: (query) => answered(() => searcher.advanced(query)),
    }),
    similar: async (query) => (await answered(() => searcher.similar(query))).found,
    mostVectors,
    position: async () => searcher.position(),
    close: async () => undefined,
  }
}
