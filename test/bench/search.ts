import { searched } from '@medialog/read-model/testing/engine'
import type { SearchQuery } from '@medialog/application/ports'
import { openSqliteEngine, type SqliteEngine } from '@medialog/read-model/testing/sqlite-engine'
import { uuid } from '@medialog/read-model/testing/items'
import { loadCranfield, type Cranfield } from './cranfield.ts'
import { exactTop10 } from './exact-search.ts'
import { chunked, library } from './library.ts'
import { quantile, row, type BenchRows } from './row.ts'
import { sized } from './scale.ts'
import { milliseconds, rateOf } from './timing.ts'

const SIZES = [10_000, 100_000].map((size) => sized(size))
const CLIENTS = 8
const COMPARED = sized(60)

/**
 * Speed of search and how much of exact scoring it keeps, through the port (thread and messages included), with the
 * Cranfield queries over libraries made from its texts. Query vectors are there already: embedding is not measured.
 */
export async function* search(sizes: readonly number[] = SIZES): BenchRows {
  const cranfield = await loadCranfield()
  for (const size of sizes) yield* searchIn(cranfield, size)
}

async function* searchIn(cranfield: Cranfield, passages: number): BenchRows {
  const engine = await openSqliteEngine()
  try {
    await fill(engine, cranfield, passages)
    const queries = cranfield.queries
      .slice(0, sized(cranfield.queries.length, 40))
      .map(({ text, vector }) => cranfieldQuery(cranfield, text, vector))
    const name = (what: string) => `search, ${passages.toLocaleString('en')} passages: ${what}`
    const before = process.memoryUsage().rss
    const load = await milliseconds(() => searched(engine.search, queries[0]!))
    await oneByOne(engine, queries)

    const busyBefore = process.cpuUsage()
    const all = await oneByOne(engine, queries)
    const busy = process.cpuUsage(busyBefore)
    const work = (busy.user + busy.system) / 1000 / queries.length
    const hundredth = await oneByOne(
      engine,
      queries.map((one) => ({ ...one, filters: { mediaTypes: ['image'] } })),
    )
    const fifth = await oneByOne(
      engine,
      queries.map((one) => ({ ...one, filters: { mediaTypes: ['video'] } })),
    )
    const persecond = await rateOf(CLIENTS, 2 * queries.length, (at) =>
      searched(engine.search, queries[at % queries.length]!),
    )
    yield* [
      row(name('p50, ms (goal 4 with the vector at hand)'), 4, quantile(all, 0.5), 'ms'),
      row(name('processor time a query, both threads (goal 4)'), 4, work, 'ms'),
      row(name('p99 against p50'), quantile(all, 0.5), quantile(all, 0.99), 'ms'),
      row(
        name('p50 with a filter that 1 % pass, against none'),
        quantile(all, 0.5),
        quantile(hundredth, 0.5),
        'ms',
      ),
      row(
        name('p50 with a filter that 20 % pass, against none'),
        quantile(all, 0.5),
        quantile(fifth, 0.5),
        'ms',
      ),
      row(name(`queries a second, ${CLIENTS} clients (goal 250)`), 250, persecond, '1/s'),
      row(name('top 10 shared with scoring everything'), 10, await shared(engine, queries), 'items'),
      row(name('first query after a start: loading the index'), 1000, load, 'ms'),
      row(
        name('memory of the process, after and before loading'),
        before / 1e6,
        process.memoryUsage().rss / 1e6,
        'MB',
      ),
    ]
  } finally {
    await engine.close()
  }
}

export const cranfieldQuery = (cranfield: Cranfield, text: string, vector: Float32Array): SearchQuery => ({
  accountId: uuid('account'),
  text,
  vectors: [{ model: cranfield.model, vector, cosineFloor: cranfield.cosineFloor }],
  collections: null,
  lexicalWeight: 0.35,
  minScore: 0,
  maxResults: 10,
  filters: {},
})

async function fill(engine: SqliteEngine, cranfield: Cranfield, passages: number): Promise<void> {
  let position = 0
  for (const changes of chunked(library(cranfield, passages), 500)) {
    await engine.apply(changes.map((change) => ({ change, position: ++position })))
  }
}

/** How long each query takes, sorted. */
async function oneByOne(engine: SqliteEngine, queries: readonly SearchQuery[]): Promise<number[]> {
  const times: number[] = []
  for (const one of queries) times.push(await milliseconds(() => searched(engine.search, one)))
  return times.sort((a, b) => a - b)
}

/** How many of the ten best by exact scoring are found, on average. */
async function shared(engine: SqliteEngine, queries: readonly SearchQuery[]): Promise<number> {
  const some = queries.slice(0, COMPARED)
  const exact = exactTop10(engine.file, some)
  let found = 0
  for (const [place, one] of some.entries()) {
    const { hits } = await searched(engine.search, one)
    const expected = new Set(exact[place])
    found += hits.filter((hit) => expected.has(hit.mediaId)).length
  }
  return found / some.length
}
