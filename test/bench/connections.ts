import { advancedSearch, searched } from '@medialog/read-model/testing/engine'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  createApplication,
  createBackground,
  createStreams,
  DEFAULT_PRICES,
  newId,
  SYSTEM,
  type Application,
  type Ports,
  type RequestContext,
} from '@medialog/application'
import type { AdvancedQuery } from '@medialog/application/ports'
import { openSqliteEventStore } from '@medialog/event-store'
import { systemClock, usd, vectorId } from '@medialog/kernel'
import { uuid } from '@medialog/read-model/testing/items'
import { openSqliteEngine, type SqliteEngine } from '@medialog/read-model/testing/sqlite-engine'
import { project } from '@medialog/understanding/vectors'
import { xorshift } from '../src/harness/xorshift.ts'
import { loadCranfield, type Cranfield } from './cranfield.ts'
import { chunked, library } from './library.ts'
import { quantile, row, type BenchRows } from './row.ts'
import { sized } from './scale.ts'
import { milliseconds } from './timing.ts'

const ITEMS = sized(10_000)
const PASSAGES_AN_ITEM = 5
const QUERIES = sized(100)
const WARM_UP = sized(10)
const SHORT = 64

/**
 * Advanced search and similar items in a library of 10,000 items made from the Cranfield texts, whose people,
 * organisations, places, concepts and keywords are spread as names are: few common, most rare. Side by side with basic
 * search, query by query. At the port (thread and messages included), query vectors at hand; similar items with
 * clusters through the application, charge in a log on disk included.
 */
export async function* benchConnections(): BenchRows {
  const cranfield = await loadCranfield()
  const engine = await openSqliteEngine()
  const folder = mkdtempSync(join(tmpdir(), 'medialog-bench-'))
  const eventStore = await openSqliteEventStore({ path: join(folder, 'events.sqlite') })
  try {
    await fill(engine, cranfield)
    const application = await applicationOver(engine, eventStore, cranfield)
    const loading = await milliseconds(() => advancedSearch(engine.search, query(cranfield, 0, 1)))
    const times = await sideBySide(engine, application, cranfield)
    const median = (name: keyof typeof times) => quantile(times[name].slice(WARM_UP).sort(ascending), 0.5)
    const against = (what: string, name: keyof typeof times) =>
      row(`${what}, p50 against basic search`, median('basic'), median(name), 'ms')
    yield* [
      against('advanced search, depth 1', 'depth1'),
      against('advanced search, depth 2 (goal 60 ms)', 'depth2'),
      against('advanced search, depth 5, factor 10', 'depth5'),
      against('similar items', 'similar'),
      against('similar items with clusters, charged (goal 40 ms)', 'clusters'),
      row('first query after a start: loading index and links', 1000, loading, 'ms'),
    ]
  } finally {
    await eventStore.close()
    rmSync(folder, { recursive: true })
    await engine.close()
  }
}

const ascending = (a: number, b: number): number => a - b

async function sideBySide(engine: SqliteEngine, application: Application, cranfield: Cranfield) {
  const times = { basic: [], depth1: [], depth2: [], depth5: [], similar: [], clusters: [] } as Record<
    'basic' | 'depth1' | 'depth2' | 'depth5' | 'similar' | 'clusters',
    number[]
  >
  for (let number = 0; number < QUERIES + WARM_UP; number++) {
    const time = async (name: keyof typeof times, work: () => Promise<unknown>) =>
      void times[name].push(await milliseconds(work))
    await time('basic', () => searched(engine.search, query(cranfield, number, 0)))
    await time('depth1', () => advancedSearch(engine.search, query(cranfield, number, 1)))
    await time('depth2', () => advancedSearch(engine.search, query(cranfield, number, 2)))
    await time('depth5', () => advancedSearch(engine.search, query(cranfield, number, 5, 10)))
    const mediaId = uuid(`item ${(number * 97) % ITEMS}`)
    const like = {
      accountId: ACCOUNT,
      mediaId,
      cosineFloor: cranfield.cosineFloor,
      others: [],
      collections: null,
      minScore: 0,
      maxResults: 100,
      mediaType: null,
    }
    await time('similar', () => engine.search.similar(like))
    await time('clusters', () =>
      application.search.similar(context(), {
        id: vectorId(mediaId),
        collections: 'all',
        minScore: 0,
        maxResults: 100,
        mediaType: null,
        includeReference: true,
        cluster: true,
      }),
    )
  }
  return times
}

const ACCOUNT = uuid('account')

const context = (): RequestContext => ({
  principal: {
    accountId: ACCOUNT,
    keyId: 'bench',
    capabilities: ['read'],
    tier: 'standard',
    status: 'active',
  },
  requestId: newId(),
})

function query(
  { queries, model, cosineFloor }: Cranfield,
  number: number,
  contextDepth: number,
  expansionFactor = 2,
): AdvancedQuery {
  const { text, vector } = queries[number % queries.length]!
  return {
    accountId: ACCOUNT,
    text,
    vectors: [{ model, vector, cosineFloor }],
    collections: null,
    lexicalWeight: 0.35,
    minScore: 0,
    maxResults: 10,
    filters: {},
    contextDepth,
    expansionFactor,
  }
}

async function applicationOver(
  engine: SqliteEngine,
  eventStore: Ports['eventStore'],
  { model, cosineFloor }: Cranfield,
): Promise<Application> {
  const streams = createStreams(eventStore, systemClock)
  const credit = { creditId: newId(), amount: usd('1000'), reference: null, at: Date.now() }
  await streams.execute('ledger', ACCOUNT, { type: 'Credit', ...credit }, SYSTEM)
  return createApplication({
    clock: systemClock,
    eventStore,
    streams,
    background: createBackground(() => undefined),
    projections: standIn({ reached: async () => true }),
    embedder: standIn({ model, cosineFloor }),
    formerEmbedders: { find: async () => null, close: async () => undefined },
    coordination: null,
    sentElsewhere: null,
    catalog: engine.catalog,
    search: engine.search,
    settings: {
      prices: DEFAULT_PRICES,
      quotas: UNLIMITED,
      mostVectors: Infinity,
      openBatches: UNLIMITED,
      batchBytes: UNLIMITED,
      webhooks: UNLIMITED,
      erasedStores: [],
      readYourWritesMs: 1,
    },
    ...UNUSED,
  })
}

/** Of a port, what a search calls. */
const standIn = <Port>(called: NoInfer<Partial<Port>>): Port => called as Port

/** What a search calls nothing of. */
const UNUSED: Pick<
  Ports,
  | 'accountEvents'
  | 'webhooks'
  | 'accounts'
  | 'artifacts'
  | 'batches'
  | 'history'
  | 'keptAnswers'
  | 'languageModel'
  | 'logScavenger'
  | 'logTree'
  | 'logVerifier'
  | 'orchestrator'
  | 'providers'
  | 'publishing'
  | 'rateLimiter'
  | 'staging'
  | 'understanding'
  | 'usage'
  | 'work'
> = {
  accountEvents: standIn({}),
  webhooks: null,
  accounts: standIn({}),
  artifacts: standIn({}),
  batches: standIn({}),
  history: standIn({}),
  keptAnswers: standIn({}),
  languageModel: standIn({}),
  logScavenger: standIn({}),
  logTree: standIn({}),
  logVerifier: standIn({}),
  orchestrator: standIn({}),
  providers: standIn({}),
  publishing: standIn({}),
  rateLimiter: standIn({}),
  staging: standIn({}),
  understanding: standIn({}),
  usage: standIn({}),
  work: standIn({}),
}

const UNLIMITED = { free: Infinity, standard: Infinity, enterprise: Infinity }

async function fill(engine: SqliteEngine, cranfield: Cranfield): Promise<void> {
  let position = 0
  for (const changes of chunked(named(library(cranfield, ITEMS * PASSAGES_AN_ITEM)), 500))
    await engine.apply(changes.map((change) => ({ change, position: ++position })))
}

/** The library with names in it, and the short vectors that connections go by. */
function* named(items: ReturnType<typeof library>): ReturnType<typeof library> {
  const draw = names(0x9e3779b9)
  for (const change of items) {
    const { enrichment } = change.item
    enrichment.entities = {
      people: draw('person', 4, 4_000),
      organizations: draw('organisation', 3, 1_500),
      locations: draw('place', 3, 800),
      objects: draw('thing', 3, 200),
      concepts: draw('concept', 6, 10_000),
    }
    enrichment.keywords = draw('word', 10, 5_000)
    const short = project(change.vectors.combined, SHORT)
    const length = Math.hypot(...short)
    change.vectors.short = Float32Array.from(short, (value) => value / length)
    yield change
  }
}

/** Names by rank, the second half as often as the first, and so on: Zipf's law, as names in texts follow it. */
function names(seed: number): (kind: string, count: number, of: number) => string[] {
  const next = xorshift(seed)
  const random = () => next() / 2 ** 32
  return (kind, count, of) => [
    ...new Set(Array.from({ length: count }, () => `${kind} ${Math.floor(of ** random())}`)),
  ]
}
