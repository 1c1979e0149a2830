import type { SearchQuery } from '@medialog/application/ports'
import { Analyzer } from '../analysis/analyzer.ts'
import { tokenOf } from '../elasticsearch/catalog/documents.ts'
import { spaceName, spaceOf } from '../elasticsearch/catalog/mapping.ts'
import { aliasOf } from '../elasticsearch/indices.ts'

const analyzer = new Analyzer()

/**
 * One request of Elasticsearch as one would write it by hand: the ten best by the words that chunks hold and by the nearest
 * of their vectors, one added to the other. No statistics of an account, no absolute scores, no total, no passage.
 */
export function hybridRequest(prefix: string, { accountId, text, vectors }: SearchQuery) {
  const { model, vector } = vectors[0]!
  const filter = [{ term: { kind: 'item' } }, { term: { account: accountId } }]
  const terms = analyzer.query(text).flatMap((word) => word.terms)
  const words = terms.map((term) => ({ term: { 'chunks.terms': tokenOf(term) } }))
  const nested = { path: 'chunks', score_mode: 'max', query: { bool: { should: words } } }
  const knn = {
    field: spaceOf(spaceName(model, vector.length)).chunks,
    query_vector: [...vector],
    k: 10,
    num_candidates: 100,
    filter,
  }
  return {
    path: `/${aliasOf(prefix, 'catalog')}/_search?routing=${accountId}`,
    body: { size: 10, _source: ['media', 'record'], query: { bool: { filter, must: [{ nested }] } }, knn },
  }
}
