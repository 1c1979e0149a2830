import { generateKeyPairSync } from 'node:crypto'
import { mkdirSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  createApplication,
  createBackground,
  createStreams,
  DEFAULT_PRICES,
  startAccountEvents,
  startLogTree,
  type Application,
  type ArtifactReceipt,
  type Ports,
  type EventPublisher,
  type EventStore,
  type Orchestrator,
  type Search,
  type Streams,
} from '@medialog/application'
import type { Catalog, Understanding, Understood } from '@medialog/application/ports'
import { openFsArtifactStore, openFsKeptAnswers, openFsStaging } from '@medialog/artifacts'
import { noteSigner } from '@medialog/contract/signed-note'
import { openSqliteEventStore, openSqliteLeaves } from '@medialog/event-store'
import { MemoryBroker } from '@medialog/messaging/testing/memory-publisher'
import { startPublishing } from '@medialog/messaging'
import { toCloudEvent } from '@medialog/messaging/cloud-event'
import { startDeliverer } from '@medialog/messaging/webhooks/deliverer'
import type { Sender } from '@medialog/messaging/webhooks/sender'
import { secretOf } from '@medialog/messaging/webhooks/signature'
import { openSqliteWebhookStore } from '@medialog/messaging/webhooks/sqlite-store'
import { startProjections } from '@medialog/projections'
import { projectedIn } from '@medialog/projections/testing/service'
import {
  accountsOf,
  historyOf,
  batchesOf,
  openCatalog,
  openDatabaseSource,
  openDocuments,
  openErasureLedger,
  usageOf,
  workOf,
  type DatabaseSource,
} from '@medialog/read-model'
import { createInProcessOrchestrator, startEraser, type RecoveryPorts } from '@medialog/workflows'
import { temporaryDataFolder } from '../harness/server.ts'
import { Points, type Crash } from './points.ts'
import { embedderBy, languageModel, search, understandingBy } from './stand-ins.ts'

/** Pause between two rounds of the eraser: short, since tests wait for them. */
const ROUND_MS = 5
const QUIET_MS = 30_000
const HOLDER_TIMES = { noteEveryMs: 500, deadAfterMs: 5_000 }
const silent = { info: ignore, warn: ignore, error: ignore }
const unlimited = { free: Infinity, standard: Infinity, enterprise: Infinity }

/** What a crash leaves: the log, the files and the read models of one service, and the broker that it publishes to. */
export type World = Awaited<ReturnType<typeof createWorld>>

/** The application over the stores of a world, from one start to the next. */
export type Instance = Awaited<ReturnType<World['begin']>>

/** What one process of a service does for all of them. */
interface Leading {
  projections: Awaited<ReturnType<typeof startProjections>>
  logTree: ReturnType<typeof startLogTree>
  publishing: ReturnType<typeof startPublishing>
}

/** What runs the sagas. */
export interface Carrier {
  open: (ports: RecoveryPorts) => Orchestrator
  /** See Points. */
  lost?: () => Promise<never>
  /** How many instances work at once; one by default. */
  processes?: number
}

const IN_PROCESS: Carrier = { open: (ports) => createInProcessOrchestrator(ports) }

/** The stores of a service, empty, in a temporary folder. `now` is its clock, in milliseconds since the epoch. */
export async function createWorld(carrier: Carrier = IN_PROCESS) {
  const { processes = 1 } = carrier
  const isShared = processes > 1
  const folder = await temporaryDataFolder()
  const path = (name: string): string => join(folder.path, name)
  mkdirSync(path('read-models'))
  const eventStore = await openSqliteEventStore({ path: path('events.sqlite') })
  const { privateKey } = generateKeyPairSync('ed25519')
  const signer = noteSigner(privateKey.export({ type: 'pkcs8', format: 'pem' }).toString())
  const broker = new MemoryBroker()
  const webhookStore = openSqliteWebhookStore(path('webhooks.sqlite'))
  const world = {
    folder: folder.path,
    /** How many instances are to work at once: the first, and others beside it. */
    processes,
    eventStore,
    broker,
    staging: path('staging'),
    artifacts: path('artifacts'),
    now: isShared ? Date.now() : Date.parse('2026-11-20T10:00:00Z'),
    /** Name of the embedder. */
    model: 'first',
    /** What searches the catalog. */
    openSearch: (_source: DatabaseSource, _catalog: Catalog): Search => search,
    /** Whether instances send to webhooks. */
    hasWebhooks: false,
    /** Stands between the application and an append. */
    append: (real: () => ReturnType<EventStore['append']>) => real(),
    /** Awaited before a stream is read. */
    reads: async (): Promise<void> => undefined,
    /** Stands between the application and what it keeps of a file. */
    keep: (real: () => Promise<ArtifactReceipt>) => real(),
    /** Awaited before what is kept of a file is read. */
    gets: async (): Promise<void> => undefined,
    /** Stands between the application and the reading of a file. */
    understand: (real: () => Promise<Understood>) => real(),
    /** Awaited before read models receive events. */
    hears: async (): Promise<void> => undefined,
    /** Ids of the events that webhooks were sent, in order. Each of them is refused the first time. */
    received: [] as string[],
    begin,
    async close() {
      await webhookStore.close()
      await eventStore.close()
      await folder.remove()
    },
  }
  // By looks at it alone, unless processes are to tell by it what died with another.
  const clock = { now: () => (world.now = Math.max(world.now + 1, isShared ? Date.now() : 0)) }
  const model = (): string => world.model
  const refused = new Set<string>()
  const receiver: Sender = {
    async send(_, { headers }) {
      const id = headers['webhook-id']!
      if (refused.has(id)) {
        world.received.push(id)
        return { status: 204, error: null, retryAfterMs: null }
      }
      refused.add(id)
      return { status: 503, error: 'not now', retryAfterMs: null }
    },
    close: ignore,
  }

  /**
   * Starts the application and recovers what the instance before it left. Points are counted from the start. An instance
   * that crashes before it has recovered is not `isAlive`. `beside` an instance it is another process of the same service: the
   * read models, the tree of the log and what is published are made by that one.
   */
  async function begin(crash: Crash | null = null, beside: Leading | null = null) {
    const points = new Points(carrier.lost)
    if (crash) points.arm(crash)
    const closing = new AsyncDisposableStack()
    const crashing = new AbortController()
    void points.crashed.then(() => crashing.abort())
    const log: EventStore = {
      append: (...of) => world.append(() => eventStore.append(...of)),
      async *read(...of) {
        await world.reads()
        yield* eventStore.read(...of)
      },
      eventAt: (...of) => eventStore.eventAt(...of),
      readAll: (...of) => eventStore.readAll(...of),
      head: () => eventStore.head(),
      truncate: (...of) => eventStore.truncate(...of),
      trouble: () => null,
      damaged: (...of) => eventStore.damaged(...of),
      close: async () => undefined,
      async *subscribe(after, { signal }) {
        const until = AbortSignal.any([signal, crashing.signal])
        for await (const batch of eventStore.subscribe(after, { signal: until })) {
          await world.hears()
          yield batch
        }
      },
    }
    const artifacts = await openFsArtifactStore(world.artifacts)
    const put = artifacts.put.bind(artifacts)
    const get = artifacts.get.bind(artifacts)
    artifacts.put = (...of) => world.keep(() => put(...of))
    artifacts.get = async (...of) => {
      await world.gets()
      return get(...of)
    }
    const files = understandingBy(model)
    const understanding: Understanding = {
      ...files,
      understand: (file) => world.understand(() => files.understand(file)),
    }
    const holders = isShared ? { holders: path('holders'), holderTimes: HOLDER_TIMES } : {}
    const staging = closing.adopt(await openFsStaging(world.staging, holders), (opened) => opened.close())
    const keptAnswers = await openFsKeptAnswers(path('answers'))
    const readModels = path('read-models')
    const projections =
      beside?.projections ??
      closing.adopt(
        await startProjections(projectedIn(readModels), { log, artifacts, logger: silent }),
        (host) => host.close(),
      )
    const source = (name: Parameters<typeof openDatabaseSource>[1]) =>
      closing.adopt(openDatabaseSource(readModels, name), (opened) => opened.close())
    const erasures = closing.adopt(openErasureLedger(path('erased.sqlite')), (ledger) => ledger.close())
    const leaves = closing.adopt(openSqliteLeaves(path('leaves.sqlite')), (opened) => opened.close())
    const catalog = openCatalog(source('catalog'), erasures, () => projections.position('catalog'))
    const records = openDocuments(source('records'))
    const work = workOf(records)
    const living = points.between(log, ['append', 'truncate'])
    const streams: Streams = createStreams(living, clock)
    const background = createBackground(ignore)
    /** What a server still runs for a crashed instance must not fail at a database that was closed with it. */
    const preparedBetween = (searching: Search): Search => ({
      ...points.between(searching, []),
      prepare: async (query) => points.between(await searching.prepare(query), ['advanced']),
    })
    const untilCrash = <Port extends object>(port: Port): Port =>
      carrier.lost ? points.between(port, []) : port
    const engines = {
      clock,
      streams,
      background,
      eventStore: living,
      artifacts: points.between(artifacts, ['put', 'add', 'retain', 'deleteIngest']),
      staging: points.between(staging, ['stage', 'reopen', 'release']),
      keptAnswers: points.between(keptAnswers, ['put', 'get', 'remove']),
      understanding: points.between(understanding, ['understand', 'embed', 'read']),
      embedder: embedderBy(model),
      formerEmbedders: { find: async () => null, close: async () => undefined },
      languageModel: points.between(languageModel, ['countTokens', 'analyze']),
      search: preparedBetween(world.openSearch(source('catalog'), catalog)),
      projections: points.between(projections, ['reached', 'rebuild']),
      erasures: points.between(erasures, ['markErased']),
      catalog: points.between(catalog, []),
      work: points.between(work, []),
      accounts: untilCrash(accountsOf(openDocuments(source('access')))),
      usage: untilCrash(usageOf(records)),
      batches: untilCrash(batchesOf(records)),
      history: untilCrash(historyOf(records)),
      settings: {
        prices: DEFAULT_PRICES,
        quotas: unlimited,
        mostVectors: Infinity,
        openBatches: unlimited,
        batchBytes: unlimited,
        webhooks: unlimited,
        erasedStores: [],
        readYourWritesMs: 2_000,
      },
    }
    const orchestrator = carrier.open(engines)
    const logTree =
      beside?.logTree ??
      startLogTree({
        ...engines,
        leaves: points.between(leaves, ['append', 'flush']),
        signer,
        former: null,
        every: 50,
        onTrouble: ignore,
      })
    const accountEvents = startAccountEvents(engines)
    const publishing =
      beside?.publishing ??
      startPublishing({
        log: living,
        publisher: publisherIn(points, broker.create('medialog')),
        background,
        source: '/medialog',
        onStopped: ignore,
      })
    const store = points.between(webhookStore, ['apply', 'enqueue', 'record'])
    const secretFor = (id: string): string => secretOf('a key of tests', id)
    if (world.hasWebhooks && !beside) {
      const deliverer = startDeliverer({
        ...engines,
        log: living,
        store,
        sender: points.between(receiver, ['send']),
        accountEvents,
        secretOf: secretFor,
        retries: { first: 1, giveUpAfter: Infinity },
      })
      // Not awaited: after the crash its calls never end.
      closing.defer(() => void deliverer.close())
    }
    const webhooks = { store, refusalOf: () => null, secretOf: secretFor, status: async () => null }
    const ports = {
      ...engines,
      orchestrator,
      logTree,
      accountEvents,
      publishing,
      webhooks,
    } as unknown as Ports
    const application: Application = createApplication(ports)

    async function recover() {
      await orchestrator.recover()
      if (beside) return
      const eraser = startEraser(
        { ...engines, orchestrator, logTree, flushErased: () => projections.flushErased() },
        (error) => trouble.push(error),
        { roundMs: ROUND_MS },
      )
      // Its rounds hang at their next call: what ends here are the pauses between them.
      closing.defer(() => void eraser.close())
    }
    const trouble: unknown[] = []
    const isAlive = await Promise.race([recover().then(() => true), points.crashed.then(() => false)])

    const owed = async () => ({
      ingests: await work.ingests(),
      charges: await work.charges(),
      requests: await work.requests(),
      erasures: await work.erasures(),
      batches: await work.batches(),
      erasing: await catalog.pendingErasures(1),
      staged: await readdir(world.staging),
      load: orchestrator.load(),
      publishing: (await publishing.status()).behind,
      unsent: world.hasWebhooks ? await unsent(world) : [],
      trouble: trouble.map(String),
    })

    async function isQuiet(): Promise<boolean> {
      const head = await eventStore.head()
      await projections.reached(head)
      const { load, publishing: behind, trouble: _, ...lists } = await owed()
      return (
        Object.values(lists).every(({ length }) => length === 0) &&
        load.running + load.waiting + (behind ?? 1) === 0 &&
        (await eventStore.head()) === head
      )
    }

    return {
      application,
      streams,
      staging: engines.staging,
      artifacts,
      catalog,
      /** What verifying the log asks for. */
      verifying: {
        eventStore,
        logVerifier: eventStore,
        leaves,
        clock,
        keys: () => logTree.keys(),
      },
      points,
      projections,
      logTree,
      publishing,
      isAlive,

      /** Resolves with the work's value, or with null when the instance crashes first. */
      orCrashes: async <T>(work: Promise<T>): Promise<{ value: T } | null> =>
        Promise.race([work.then((value) => ({ value })), points.crashed.then(() => null)]),

      /** Resolves once no work is left. @throws Error that lists the work left after 30 s */
      async quiet(): Promise<void> {
        const until = Date.now() + QUIET_MS
        while (!(await isQuiet())) {
          if (points.isCrashed) return
          if (Date.now() > until) throw new Error(`it is never quiet: ${inspected(await owed())}`)
          await sleep(1)
        }
      },

      /** Crashes the instance unless it has crashed, and closes its stores, so that the next one can begin. */
      async end(): Promise<void> {
        points.end()
        await points.settled()
        await orchestrator.drain(AbortSignal.abort())
        await closing.disposeAsync()
      },
    }
  }

  return world
}

/** Ids of the events that webhooks are to be sent and were not, in the order of the log. */
async function unsent({ eventStore, received }: World): Promise<string[]> {
  const sent = new Set(received)
  const accounts = new Set<string>()
  const ids: string[] = []
  for await (const event of eventStore.readAll(0)) {
    const { accountId } = event.metadata
    if (event.type === 'WebhookAdded') accounts.add(accountId!)
    else if (accounts.has(accountId!) && toCloudEvent(event, '/medialog') && !sent.has(event.id))
      ids.push(event.id)
  }
  return ids
}

/** Its sessions are numbered too. */
const publisherIn = (points: Points, publisher: EventPublisher): EventPublisher =>
  points.between(
    {
      open: async () => points.between(await publisher.open(), ['publish']),
      ask: () => publisher.ask(),
      close: () => publisher.close(),
    },
    ['open'],
  )

const inspected = (value: unknown): string =>
  JSON.stringify(value, (_, each: unknown) => (typeof each === 'bigint' ? `${each}` : each))

function ignore(): void {}
