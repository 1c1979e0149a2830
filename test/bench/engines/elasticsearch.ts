import { searched } from '@medialog/read-model/testing/engine'
import { hybridRequest } from '@medialog/read-model/testing/hybrid-request'
import { Agent } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Client } from '@elastic/elasticsearch'
import type { Search, SearchQuery } from '@medialog/application/ports'
import { catalogIndex } from '@medialog/read-model/elasticsearch/catalog/definition'
import { aliasOf } from '@medialog/read-model/elasticsearch/indices'
import { openElasticsearchSearch } from '@medialog/read-model/elasticsearch/search/search'
import { openIndexStore } from '@medialog/read-model/elasticsearch/store'
import { testIndices } from '@medialog/read-model/testing/elasticsearch-engine'
import { loadCranfield, type Cranfield } from '../cranfield.ts'
import { send, type Call } from '../http-call.ts'
import { chunked, itemsOf, library } from '../library.ts'
import { progress } from '../progress.ts'
import { quantile, row, type BenchRows } from '../row.ts'
import { sized } from '../scale.ts'
import { cranfieldQuery } from '../search.ts'

const SIZES = [10_000, 100_000].map((size) => sized(size))
const ITEMS_A_BATCH = 250
/** Of a large library not all, but so many spread over it. */
const BATCHES_COMPARED = 20
/** Of Cranfield's 225. */
const QUERIES = sized(100, 10)
/** Each query so many times on either side, in turns; the first turn warms up. */
const TURNS = 3

/**
 * The catalog and search on Elasticsearch, over libraries of the Cranfield abstracts.
 * Indexing: items a second through the projection's writer, visible after every batch, against the requests of documents
 * that it sends, recorded and sent by themselves into another index with the same mapping, batch by batch in turns.
 * Search: the port's call against one hybrid request as one would write it by hand, see `hybridRequest`, over one bare
 * connection; its answer is read and not looked into. Which of the two is first takes turns.
 */
export async function* benchElasticsearch(address: string): BenchRows {
  const cranfield = await loadCranfield()
  for (const size of SIZES) yield* inLibrary(address, cranfield, size)
}

async function* inLibrary(address: string, cranfield: Cranfield, chunks: number): BenchRows {
  const [ours, bare] = [testIndices(address), testIndices(address)]
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const name = (what: string) => `Elasticsearch, ${chunks.toLocaleString('en')} chunks: ${what}`
  try {
    const { items, spent } = await fill(address, agent, ours, bare, cranfield, chunks)
    const rate = (milliseconds: number) => (1_000 * items) / milliseconds
    yield row(
      name('indexing, against its documents in bare bulk requests'),
      rate(spent.bare),
      rate(spent.ours),
      'items/s',
    )
    await settled(ours)
    const search = openElasticsearchSearch(ours)
    const queries = cranfield.queries
      .slice(0, QUERIES)
      .map(({ text, vector }) => cranfieldQuery(cranfield, text, vector))
    const { port, hybrid } = await searchAll(address, agent, ours.prefix, search, queries)
    const against = 'against one bare hybrid request (goal 2.5 at most)'
    yield row(name(`search p50, ${against}`), quantile(hybrid, 0.5), quantile(port, 0.5), 'ms')
    yield row(name('search p99, against the same'), quantile(hybrid, 0.99), quantile(port, 0.99), 'ms')
  } finally {
    agent.destroy()
    await ours.remove()
    await bare.remove()
  }
}

type Indices = ReturnType<typeof testIndices>
/** A request as it went over the line. */
type Sent = Pick<Call, 'path' | 'headers'> & { body: string }

/** The bulk requests that the client sends from now on, as they go over the line. */
function recorder(client: Client) {
  let sent: Sent[] = []
  client.diagnostic.on('request', (_, result) => {
    const { path, body, headers } = result?.meta.request.params ?? {}
    if (typeof body !== 'string' || !path?.endsWith('/_bulk')) return
    const named = Object.entries(headers ?? {}).map(([name, value]) => [name, String(value)])
    sent.push({ path, body, headers: Object.fromEntries(named) })
  })
  return () => {
    const taken = sent
    sent = []
    return taken
  }
}

async function fill(
  address: string,
  agent: Agent,
  ours: Indices,
  bare: Indices,
  cranfield: Cranfield,
  chunks: number,
) {
  const writer = await openIndexStore({ ...ours, definition: catalogIndex }).open()
  // An index with the same settings, that nothing else writes to.
  const bareWriter = await openIndexStore({ ...bare, definition: catalogIndex }).open()
  await bareWriter.close()
  const [index, bareIndex] = [aliasOf(ours.prefix, 'catalog'), aliasOf(bare.prefix, 'catalog')]
  // A query that was asked before is to be answered anew, on both sides.
  await ours.client.indices.putSettings({
    index,
    settings: { index: { requests: { cache: { enable: false } } } },
  })
  const taken = recorder(ours.client)
  const spent = { ours: 0, bare: 0 }
  const all = itemsOf(chunks)
  const bareEvery = Math.ceil(all / ITEMS_A_BATCH / BATCHES_COMPARED)
  let [written, compared] = [0, 0]
  for (const some of chunked(library(cranfield, chunks), ITEMS_A_BATCH)) {
    const batch = written / ITEMS_A_BATCH
    const placed = some.map((change, at) => ({ change, position: written + at + 1 }))
    const begun = performance.now()
    await writer.applyBatch(placed, placed.at(-1)!.position)
    const ended = performance.now()
    const requests = taken()
    if (batch === 0) await copyMapping(ours.client, index, bareIndex)
    written += some.length
    progress('items indexed', written, all)
    if (batch % bareEvery !== 0) continue
    const bareBegun = performance.now()
    for (const request of requests) await post(agent, address, { ...request, path: `/${bareIndex}/_bulk` })
    await bare.client.indices.refresh({ index: bareIndex })
    const bareEnded = performance.now()
    // The first batch warms up, where there is another.
    if (batch === 0 && written < all) continue
    compared += some.length
    spent.ours += ended - begun
    spent.bare += bareEnded - bareBegun
  }
  await writer.close()
  return { items: compared, spent }
}

async function copyMapping(client: Client, from: string, to: string): Promise<void> {
  const [found] = Object.values(await client.indices.getMapping({ index: from }))
  const { properties } = found!.mappings
  await client.indices.putMapping({ index: to, properties })
}

/** Segments are merged in the background for a while after many writes. */
async function settled({ client, prefix }: Indices): Promise<void> {
  for (;;) {
    const { _all: all } = await client.indices.stats({ index: aliasOf(prefix, 'catalog'), metric: 'merge' })
    if (!all.total?.merges?.current) return
    await sleep(500)
  }
}

/** How long each query took, sorted: through the port, and as one hybrid request. */
async function searchAll(
  address: string,
  agent: Agent,
  prefix: string,
  search: Search,
  queries: readonly SearchQuery[],
): Promise<Record<'port' | 'hybrid', number[]>> {
  const requests = queries.map((query): Sent => {
    const { path, body } = hybridRequest(prefix, query)
    return { path, headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }
  })
  const times = { port: [] as number[], hybrid: [] as number[] }
  const sides = {
    port: (at: number) => searched(search, queries[at]!),
    hybrid: (at: number) => post(agent, address, requests[at]!),
  }
  for (let turn = 0; turn < TURNS; turn++)
    for (const at of queries.keys()) {
      // What comes second finds the processor's and the file system's caches warm.
      const order = (turn + at) % 2 === 0 ? (['port', 'hybrid'] as const) : (['hybrid', 'port'] as const)
      progress('queries asked on both sides', turn * queries.length + at, TURNS * queries.length)
      for (const side of order) {
        const begun = performance.now()
        await sides[side](at)
        if (turn > 0) times[side].push(performance.now() - begun)
      }
    }
  for (const side of ['port', 'hybrid'] as const) times[side].sort((a, b) => a - b)
  return times
}

const post = (agent: Agent, address: string, sent: Sent) =>
  send(agent, address.replace(/\/$/, ''), { method: 'POST', ...sent })
