import { searched } from '@medialog/read-model/testing/engine'
import type { Search } from '@medialog/application/ports'
import { logOf } from '@medialog/read-model/testing/engine'
import { put, uuid } from '@medialog/read-model/testing/items'
import { openSqliteEngine } from '@medialog/read-model/testing/sqlite-engine'
import { itemVectors } from '@medialog/understanding/vectors'
import {
  loadCranfield,
  ndcg10,
  recall100,
  type Cranfield,
  type CranfieldDocument,
  type Passage,
} from './cranfield.ts'
import { row, type BenchRows } from './row.ts'

const MODEL = 'bench'

/** Quality of retrieval on the Cranfield collection, through the search port. */
export async function* retrieval(): BenchRows {
  const cranfield = await loadCranfield()
  const layouts: [string, (document: CranfieldDocument) => Passage[]][] = [
    ['as Markdown files', ({ markdown }) => markdown],
    ['as text files without a title', ({ text }) => text],
    ['in one chunk each', ({ whole }) => [whole]],
  ]
  const rows = (layout: string, { hybrid, lexical, semantic }: Awaited<ReturnType<typeof measure>>) => [
    row(`Cranfield ${layout}: nDCG@10, defaults, against the goal`, 0.43, hybrid.ndcg, 'nDCG@10'),
    row(`Cranfield ${layout}: nDCG@10, lexical_weight 1, against the goal`, 0.38, lexical.ndcg, 'nDCG@10'),
    row(
      `Cranfield ${layout}: nDCG@10, defaults against lexical_weight 0`,
      semantic.ndcg,
      hybrid.ndcg,
      'nDCG@10',
    ),
    row(
      `Cranfield ${layout}: recall@100, defaults against lexical_weight 1`,
      lexical.recall,
      hybrid.recall,
      'recall@100',
    ),
    row(
      `Cranfield ${layout}: recall@100, defaults against lexical_weight 0`,
      semantic.recall,
      hybrid.recall,
      'recall@100',
    ),
  ]
  for (const [name, layout] of layouts) yield* rows(name, await measure(cranfield, layout))
}

async function measure(cranfield: Cranfield, layout: (document: CranfieldDocument) => readonly Passage[]) {
  const engine = await openSqliteEngine()
  try {
    await logOf(engine).record(
      ...cranfield.documents.map((document) => {
        const chunks = layout(document)
        const vectors = chunks.map((chunk) => chunk.vector)
        const change = put({
          media: String(document.number),
          chunks: chunks.map((chunk) => chunk.text),
          vectors,
        })
        return { ...change, vectors: itemVectors(MODEL, vectors, chunks) }
      }),
    )
    return {
      hybrid: await quality(engine.search, cranfield, 0.35),
      lexical: await quality(engine.search, cranfield, 1),
      semantic: await quality(engine.search, cranfield, 0),
    }
  } finally {
    await engine.close()
  }
}

async function quality(
  search: Search,
  { documents, queries, cosineFloor }: Cranfield,
  lexicalWeight: number,
): Promise<{ ndcg: number; recall: number }> {
  const numberOf = new Map(documents.map(({ number }) => [uuid(String(number)), number]))
  let ndcg = 0
  let recall = 0
  for (const { text, vector, relevant } of queries) {
    const { hits } = await searched(search, {
      accountId: uuid('account'),
      text,
      vectors: [{ model: MODEL, vector, cosineFloor }],
      collections: null,
      lexicalWeight,
      minScore: 0,
      maxResults: 100,
      filters: {},
    })
    const found = hits.map((hit) => numberOf.get(hit.mediaId)!)
    ndcg += ndcg10(found, relevant)
    recall += recall100(found, relevant)
  }
  return { ndcg: ndcg / queries.length, recall: recall / queries.length }
}
