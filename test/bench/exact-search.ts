import type { SearchQuery } from '@medialog/application/ports'
import type { Uuid } from '@medialog/kernel'
import { Analyzer } from '@medialog/read-model/analysis/analyzer'
import { floats } from '@medialog/read-model/catalog/record'
import { semanticScore } from '@medialog/read-model/search/scorer'
import { exactScore, type AnalysedChunk } from '@medialog/read-model/testing/exact-score'
import { DatabaseSync } from 'node:sqlite'

/** With those terms of the queries that occur in it. */
interface ScoredChunk extends AnalysedChunk<number> {
  item: number
}

/**
 * The ten best items of each query by the scorer's formulas alone: every chunk analysed anew from its text, every
 * 32-bit vector multiplied, no index, no candidates.
 */
export function exactTop10(file: string, queries: readonly SearchQuery[]): Uuid[][] {
  const database = new DatabaseSync(file, { readOnly: true })
  const analyzer = new Analyzer()
  const queryTerms = queries.map(({ text }) => [
    ...new Set(analyzer.query(text).flatMap(({ terms }) => terms.map((term) => keyOf(term.low, term.high)))),
  ])
  const wanted = new Set(queryTerms.flat())
  const { mediaIds, chunks, cosines } = readAll(database, analyzer, wanted, queries)
  database.close()

  return queries.map((query, place) => {
    const exact = exactScore(query, queryTerms[place]!, chunks)
    const highest = new Float64Array(mediaIds.length)
    for (const chunk of chunks) {
      const sum = exact.bm25(chunk)
      if (sum > highest[chunk.item]!) highest[chunk.item] = sum
    }
    const { cosineFloor } = query.vectors[0]!
    const scores = mediaIds.map((_, item) => {
      const semantic = semanticScore(cosines[place]![item]!, cosineFloor)
      return exact.score(highest[item]!, semantic).score
    })
    const order = mediaIds.map((_, item) => item).sort((a, b) => scores[b]! - scores[a]!)
    return order.slice(0, 10).map((item) => mediaIds[item]!)
  })
}

const keyOf = (low: number, high: number): number => high * 2 ** 32 + low

function readAll(
  database: DatabaseSync,
  analyzer: Analyzer,
  wanted: ReadonlySet<number>,
  queries: readonly SearchQuery[],
) {
  const mediaIds: Uuid[] = []
  const chunks: ScoredChunk[] = []
  const cosines = queries.map(() => [] as number[])
  const texts = database.prepare('SELECT text FROM chunk WHERE item = ?')
  const items = database.prepare('SELECT id, media_id, combined, chunks FROM item JOIN vectors ON item = id')
  for (const row of items.iterate() as Iterable<Record<string, never>>) {
    const item = mediaIds.push(row['media_id']!) - 1
    for (const { text } of texts.all(row['id']!)) {
      const { length, low, high, frequency } = analyzer.analyse(text as string)
      const terms = new Map<number, number>()
      low.forEach((value, index) => {
        const key = keyOf(value, high[index]!)
        if (wanted.has(key)) terms.set(key, frequency[index]!)
      })
      chunks.push({ item, length, terms })
    }
    const vectors = [floats(row['combined']!), floats(row['chunks']!)]
    queries.forEach(({ vectors: [asked] }, place) => {
      cosines[place]!.push(Math.max(...vectors.map((some) => highestProduct(some, asked!.vector))))
    })
  }
  return { mediaIds, chunks, cosines }
}

function highestProduct(vectors: Float32Array, query: Float32Array): number {
  let highest = -1
  for (let from = 0; from < vectors.length; from += query.length) {
    let sum = 0
    for (let index = 0; index < query.length; index++) sum += vectors[from + index]! * query[index]!
    if (sum > highest) highest = sum
  }
  return highest
}
