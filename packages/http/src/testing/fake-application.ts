import { EventEmitter, on } from 'node:events'
import {
  CollectionNotFound,
  EngineUnavailable,
  ErasureNotFound,
  InvalidInput,
  InvalidApiKey,
  ItemsNotFound,
  MediaItemNotFound,
  UnreadableFile,
  UnsupportedFileType,
  type AnalyzeFile,
  type Application,
  type AskQuestion,
  type BatchView,
  type CatalogItem,
  type CreateBatch,
  type FollowedEvents,
  type ErasureView,
  type EventProofs,
  type LedgerProof,
  type LedgerQuery,
  type MediaThen,
  type Operation,
  type OperatorApplication,
  type Principal,
  type RequestContext,
  type UploadMedia,
  type KeyRecord,
} from '@medialog/application'
import { AccountNotFound, BatchNotFound, CannotDeleteDefault } from '@medialog/domain'
import {
  batchId as batchIds,
  isoTime,
  parseMediaId,
  usd,
  type MediaType,
  type RecordedEvent,
} from '@medialog/kernel'
import { fakeItemHistory, fakeRequestHistory } from './fake-history.ts'
import { fakeLedger, fakeStatement } from './fake-ledger.ts'
import { fakeWebhooks } from './fake-webhooks.ts'
import { ACCOUNT, batchIntent, batchJobs, batchView, catalogItem, itemVectors, NOW } from './fixtures.ts'

/** Formats by extension, with small limits so that tests pass them quickly. */
const LIMITS: {
  readonly [extension: string]: { mediaType: MediaType; maxBytes: number; maxAnalysisBytes?: number }
} = {
  txt: { mediaType: 'document', maxBytes: 100_000 },
  png: { mediaType: 'image', maxBytes: 50_000, maxAnalysisBytes: 60_000 },
  mp4: { mediaType: 'video', maxBytes: 100 * 1024 * 1024 },
}

export interface FakeApplication extends Application {
  items: CatalogItem[]
  /** Every upload that reached the application, with its context. */
  uploads: { context: RequestContext; command: UploadMedia }[]
  /** Every creation of a batch that reached the application. */
  creations: CreateBatch[]
  batches: BatchView[]
  /** Keys by their text. */
  principals: Map<string, Principal>
  /** What any call throws instead of answering, by method name. */
  faults: Map<string, unknown>
  searches: unknown[]
  /** Every question and every analysis that reached the application. */
  asked: AskQuestion[]
  analyses: AnalyzeFile[]
  /** What ledgers were asked for by their accounts. */
  replays: LedgerQuery[]
  /** Where webhooks were told to go back to. */
  rewinds: number[]
  /** How events were followed. */
  follows: Parameters<Application['followEvents']>[1][]
  /** Emits each `batch` that those who follow are told. */
  feed: EventEmitter
}

/** The batches that are emitted until the signal aborts. */
async function* toldUntil(feed: EventEmitter, signal: AbortSignal): AsyncGenerator<FollowedEvents> {
  try {
    for await (const [batch] of on(feed, 'batch', { signal })) yield batch as FollowedEvents
  } catch (error) {
    if (!signal.aborted) throw error
  }
}

/** An application in memory, as small as the edge's tests need it. */
export function createFakeApplication(release: (id: string) => Promise<void>): FakeApplication {
  const items = [1, 2, 3].map((number) => catalogItem(number))
  const uploads: FakeApplication['uploads'] = []
  const creations: FakeApplication['creations'] = []
  const batches = [batchView()]
  const principals: FakeApplication['principals'] = new Map()
  const faults: FakeApplication['faults'] = new Map()
  const searches: unknown[] = []
  const asked: AskQuestion[] = []
  const analyses: AnalyzeFile[] = []
  const replays: LedgerQuery[] = []
  const rewinds: FakeApplication['rewinds'] = []
  const follows: FakeApplication['follows'] = []
  const feed = new EventEmitter()
  const find = (id: string): CatalogItem | undefined =>
    items.find((item) => item.mediaId === parseMediaId(id)?.id)
  const read = (id: string): CatalogItem => {
    const item = find(id)
    if (!item) throw new MediaItemNotFound(id)
    return item
  }

  const known = (id: string): BatchView => {
    const batch = batches.find(({ batchId }) => batchId === batchIds.parse(id))
    if (!batch) throw new BatchNotFound()
    return batch
  }

  const application: Application = {
    async authenticate(apiKey) {
      const principal = principals.get(apiKey ?? '')
      if (!principal) throw new InvalidApiKey()
      return principal
    },
    proveEvents: async (_context, subject) => eventProofs(subject),
    proveLedger: async ({ principal }, since) => ledgerProof(principal.accountId, since),
    keys: async ({ principal: { accountId, keyId } }) => [
      keyRecord(accountId, keyId),
      keyRecord(accountId, 'abcd1234'),
    ],
    largestFile: Math.max(...Object.values(LIMITS).map(({ maxBytes }) => maxBytes)),
    identify(filename, head) {
      if (head.length === 0) throw new UnreadableFile('corrupted', 'The file is empty.')
      const name = filename.split('.').at(-1)!
      if (!Object.hasOwn(LIMITS, name)) throw new UnsupportedFileType(filename, 'No supported format.')
      return { name, ...LIMITS[name]!, mimeType: 'application/octet-stream', extensions: [name] }
    },
    async uploadMedia(context, command) {
      uploads.push({ context, command })
      await release(command.staged.id)
      const item = catalogItem(9, {
        filename: command.filename,
        sizeBytes: command.staged.size,
        sha256: command.staged.sha256,
        collection: command.collection ?? 'default',
        mediaType: LIMITS[command.filename.split('.').at(-1)!]!.mediaType,
      })
      return {
        requestId: context.requestId,
        replayed: command.idempotencyKey === 'again',
        item,
        vectors: itemVectors(),
        startedAt: NOW,
        completedAt: NOW + 40,
        jobId: context.requestId,
        previousBalance: usd('10'),
        cost: usd('0.04'),
        newBalance: usd('9.96'),
        position: 42,
      }
    },
    receiveFile: async () => ({ add: () => {}, [Symbol.dispose]: () => {} }),
    receiveBatch: () => ({ add: async () => {}, end: () => {} }),
    async createBatch(context, command) {
      creations.push(command)
      await Promise.all(command.files.map(({ staged }) => release(staged.id)))
      const intent = batchIntent(context.requestId, command)
      return {
        batchId: intent.batchId,
        replayed: command.idempotencyKey === 'again',
        intent,
        collection: intent.collection ?? 'default',
        charged: { total: usd('0.08'), processing: { document: usd('0.06') }, storage: usd('0.02') },
        estimatedSeconds: 4,
        position: 47,
      }
    },
    listBatches: async (_context, { status }) => {
      const shown = batches.filter((batch) => !status || batch.status === status)
      return { batches: shown, total: shown.length }
    },
    readBatch: async (_context, id) => known(id),
    readBatchResults: async (_context, id) => ({ batch: known(id), jobs: batchJobs() }),
    async cancelBatch(_context, id) {
      const { batchId } = known(id)
      return { batchId, previous: 'running', current: 'cancelled', at: NOW, position: 48 }
    },
    async listMedia(_context, { page, pageSize, after, vectors }) {
      const first = after
        ? items.findIndex(({ mediaId }) => mediaId === after.mediaId) + 1
        : (page - 1) * pageSize
      const shown = items.slice(first, first + pageSize)
      return {
        items: shown.map((item) => ({ item, content: null, vectors: vectors ? itemVectors() : null })),
        total: items.length,
        hasNext: first + pageSize < items.length,
      }
    },
    async listMediaAsOf(_context, { page, pageSize, asOf }) {
      const [kept, replaced, ...rest] = items
      const known = ({ mediaId, mediaType, createdAt }: CatalogItem) => ({ mediaId, mediaType, createdAt })
      const then: MediaThen[] = [
        { ...known(kept!), state: 'stored', item: kept! },
        {
          ...known(replaced!),
          state: 'changed',
          collection: 'reports',
          ingest: { filename: 'then.pdf', sizeBytes: 9, sha256: 'a'.repeat(64), durationMs: 2.6, at: NOW },
        },
        { ...known(replaced!), state: 'changed', collection: null, ingest: null },
        ...rest.map((item) => ({ ...known(item), state: 'erased' as const, erasedAt: asOf + 1 })),
      ]
      return { items: then.slice((page - 1) * pageSize, page * pageSize), total: then.length, undated: 2 }
    },
    readMedia: async (_context, { id, vectors, content }) => ({
      item: read(id),
      content: content ? { text: 'Text.', chunks: [{ text: 'Head', start: 0, end: 0 }] } : null,
      vectors: vectors ? itemVectors() : null,
    }),
    async deleteMedia(_context, { id, receipt }) {
      const item = read(id)
      items.splice(items.indexOf(item), 1)
      return { item, position: 43, erasure: receipt ? ERASURE : null }
    },
    async deleteMediaBatch(_context, { ids, receipt }) {
      const deleted = ids.flatMap((id) => find(id) ?? [])
      const missing = ids.filter((id) => !find(id))
      return { deleted, missing, position: 44, erasure: receipt ? PENDING_ERASURE : null }
    },
    listCollections: async () => [
      {
        collection: 'default',
        itemCount: items.length,
        createdAt: NOW,
        mediaTypes: { document: items.length },
      },
    ],
    async readCollection(_context, collection) {
      if (collection !== 'default') throw new CollectionNotFound(collection)
      return { collection, itemCount: 3, firstItemAt: NOW, lastItemAt: NOW, mediaTypes: { document: 3 } }
    },
    async deleteCollection(_context, { collection, receipt }) {
      if (collection === 'default') throw new CannotDeleteDefault()
      if (collection !== 'reports') throw new CollectionNotFound(collection)
      const erasure = receipt ? ERASURE : null
      return { items: 2, vectors: { hd: 6, ld: 2 }, position: 45, erasure }
    },
    erasure: async (_context, id) => knownErasure(id),
    async moveItems(_context, { ids }) {
      const missing = ids.filter((id) => !find(id))
      if (missing.length > 0) throw new ItemsNotFound(missing)
      const total = new Set(ids).size
      return { total, moved: total, alreadyThere: 0, byType: { document: total }, position: 46 }
    },
    async ask(_context, command, listener) {
      asked.push(command)
      const pieces = ['The wind', ' blew.\n\ndata: x']
      for (const piece of pieces)
        await listener?.delta(piece, { replayed: command.idempotencyKey === 'again' })
      if (command.query === 'break') throw new EngineUnavailable('model', 'gone')
      const item = command.mediaId === null ? null : read(command.mediaId)
      return {
        ...PAID,
        text: pieces.join(''),
        answered: true,
        sources: [
          {
            mediaId: items[0]!.mediaId,
            mediaType: 'document',
            filename: 'wind.txt',
            collection: 'default',
            title: 'Winds',
            chunk: 1,
            text: 'Wind.',
            revision: 3,
          },
        ],
        item,
        replayed: command.idempotencyKey === 'again',
        price: { base: usd('0.01'), tokens: usd('0.0010001'), tier: 'standard' },
        usage: { inputTokens: 10_001, outputTokens: 7, milliseconds: 5 },
        model: 'fake-1',
        disclaimer: 'It is a fake.',
      }
    },
    async analyzeFile(_context, command) {
      analyses.push(command)
      await release(command.staged.id)
      return {
        ...PAID,
        replayed: command.idempotencyKey === 'again',
        analysis: {
          summary: 'A note.',
          keyElements: ['wind'],
          relevantDetails: 'It blew.',
          mainResponse: '“Wind.”',
          insights: [{ observation: 'a', analysis: 'b', implication: 'c' }],
          additionalConsiderations: 'None.',
        },
        format: 'txt',
        mediaType: command.mediaType ?? 'document',
        processedAt: NOW,
        milliseconds: 12,
        model: 'fake-1',
      }
    },
    async search(_context, query) {
      searches.push(query)
      if (query.collections !== 'all' && query.collections.includes('missing'))
        throw new CollectionNotFound('missing')
      const [item] = items
      const passage = { text: 'Wind.', chunk: 1 }
      const hit = {
        mediaId: item!.mediaId,
        score: 0.7,
        lexical: 0.6,
        semantic: 0.75,
        matchedTerms: ['wind'],
        passage,
      }
      return {
        results: [{ hit, item: item!, explanation: 'High confidence.' }],
        lexicalWeight: query.lexicalWeight,
        total: 1,
        searched: ['default'],
        distribution: { default: 1 },
        milliseconds: 1.25,
      }
    },
    async advancedSearch(_context, query) {
      searches.push(query)
      const [item, other] = items
      const passage = { text: 'Wind.', chunk: 1 }
      const connection = {
        relation: 'shared_entity',
        strength: 0.5,
        phrase: 'both name Ada',
        source: item!,
        target: other!,
      } as const
      const hit = {
        mediaId: other!.mediaId,
        score: 0.28,
        lexical: 0,
        semantic: 0.1,
        matchedTerms: [],
        passage,
        depth: 1,
        path: [],
        crossModal: [],
      }
      return {
        results: [
          {
            hit,
            item: other!,
            explanation: 'Low confidence.',
            path: [connection],
            crossModal: [{ ...connection, source: other!, target: item! }],
          },
        ],
        lexicalWeight: query.lexicalWeight,
        total: 1,
        searched: ['default'],
        distribution: { default: 1 },
        milliseconds: 2.5,
        depthReached: 1,
        ...PAYMENT,
        cost: usd('0.02'),
        replayed: query.idempotencyKey === 'again',
      }
    },
    async similar(_context, query) {
      searches.push(query)
      const reference = read(query.id)
      const image = catalogItem(4, { mediaType: 'image' })
      const result = { item: image, score: 0.8239, explanation: 'High confidence.' }
      return {
        reference,
        results: [result],
        clusters: query.cluster ? [{ name: 'energy, wind', members: [result] }] : null,
        total: 1,
        searched: ['default'],
        distribution: { default: 1 },
        milliseconds: 2.5,
        ...PAYMENT,
        replayed: query.idempotencyKey === 'again',
      }
    },
    usage: async (_context, { detailed }) => ({
      account: ACCOUNT_RECORD,
      balance: usd('9.96'),
      lastChargeAt: NOW,
      costs: new Map([['DOCUMENT_PROCESSING', usd('0.03')]]),
      prices: new Map([['DOCUMENT_PROCESSING', usd('0.03')]]),
      storage: { stored: { vectors: 12, bytes: 4096 }, quota: 1_000_000 },
      detail: detailed
        ? {
            trends: new Map([['DOCUMENT_PROCESSING', new Map([['2026-11-20', usd('0.03')]])]]),
            before: usd('10'),
            balances: new Map([['2026-11-20', usd('9.96')]]),
            transactions: [
              {
                at: NOW,
                type: 'charge',
                amount: usd('-0.04'),
                balance: usd('9.96'),
                cause: null,
                reference: null,
              },
            ],
          }
        : null,
    }),
    async usageDiff(_context, { from, to }) {
      const at = (at: number, balance: string, cost: string) => ({
        at,
        account: ACCOUNT_RECORD,
        balance: usd(balance),
        costs: new Map([['DOCUMENT_PROCESSING', usd(cost)]]),
      })
      return {
        from: at(from, '10', '0'),
        to: at(to, '9.97', '0.03'),
        balance: -usd('0.03'),
        costs: new Map([['DOCUMENT_PROCESSING', usd('0.03')]]),
      }
    },
    ledger: (_context, query) => fakeLedger(query, replays),
    statement: async (_context, month) => fakeStatement(month),
    webhooks: fakeWebhooks(rewinds),
    async followEvents(_context, query, signal) {
      follows.push(query)
      return { from: query.after ?? 40, events: toldUntil(feed, signal) }
    },
    itemHistory: async (_context, { id, page, pageSize }) => fakeItemHistory(read(id), { page, pageSize }),
    requestHistory: async (_context, id) => fakeRequestHistory(id),
    health: async () => ({
      status: 'operational',
      components: { api: 'operational', storage: 'operational', search: 'operational' },
      limitation: null,
      problems: [],
      readModels: [],
      providers: [],
      publishing: null,
      webhooks: null,
      pendingErasures: 0,
      room: null,
    }),
    position: () => 40,
    reached: async (position) => position <= 50,
    operator: fakeOperator(),
  }
  return Object.assign(withFaults(application, faults), {
    items,
    uploads,
    creations,
    batches,
    principals,
    faults,
    searches,
    asked,
    analyses,
    replays,
    rewinds,
    follows,
    feed,
  })
}

/** Any method can be told to throw instead. */
function withFaults<T extends object>(target: T, faults: ReadonlyMap<string, unknown>): T {
  return new Proxy(target, {
    get(object, name, receiver): unknown {
      if (faults.has(String(name)))
        return () => {
          throw faults.get(String(name))
        }
      const value: unknown = Reflect.get(object, name, receiver)
      return name === 'operator' ? withFaults(value as object, faults) : value
    },
  })
}

const PAYMENT = { requestId: ACCOUNT, cost: usd('0.01'), balance: usd('9.95'), position: 48 }
const PAID = {
  requestId: '00000000-0000-7000-8000-000000000077',
  cost: usd('0.0110001'),
  balance: usd('9.9889999'),
  position: 47,
  replayed: false,
}

const ACCOUNT_RECORD = {
  accountId: ACCOUNT,
  name: 'dev',
  tier: 'standard',
  status: 'active',
  openedAt: NOW,
} as const

const HEX = 'cd'.repeat(32)
const ERASURE: ErasureView = {
  erasureId: '0190d3c2-6f0e-7b1a-9c1d-2f6f5f0a7b77',
  accountId: ACCOUNT,
  status: 'erased',
  requestedAt: NOW,
  ingests: 1,
  receipt: {
    erasure_id: 'erasure_0190d3c2-6f0e-7b1a-9c1d-2f6f5f0a7b77',
    account_id: ACCOUNT,
    subject: { kind: 'items' },
    requested_at: isoTime(NOW),
    erased_at: isoTime(NOW),
    ingests: 1,
    digest: HEX,
    items: [{ media_id: 'doc_x', ingest_id: 'y', sha256: HEX, artifacts: { 'vectors.bin': HEX } }],
    stores: [{ store: 'log', how: 'overwritten' }],
    event: { stream: 'erasure-x', revision: 1, hash: HEX },
  },
  note: 'medialog erasure receipt 1\n…',
  key: 'medialog/a+id+key',
}
const PENDING_ERASURE: ErasureView = { ...ERASURE, status: 'pending', receipt: null, note: null, key: null }

function knownErasure(id: string): ErasureView {
  if (id !== ERASURE.receipt!.erasure_id) throw new ErasureNotFound(id)
  return ERASURE
}

const CHECKPOINT = { size: 12, root: 'cd'.repeat(32), note: 'medialog/a\n12\n…', key: 'medialog/a+id+key' }

function fakeOperator(): OperatorApplication {
  const known = (accountId: string): void => {
    if (accountId !== ACCOUNT) throw new AccountNotFound()
  }
  const operations = new Map<string, Operation>()
  const position = 60
  return {
    openAccount: async (_context, { name, tier, credit }) => ({
      account: { ...ACCOUNT_RECORD, name, tier },
      balance: credit,
      position,
      replayed: false,
    }),
    erasure: async (id) => knownErasure(id),
    async closeAccount(_context, accountId) {
      known(accountId)
      const account = { ...ACCOUNT_RECORD, status: 'closed' as const }
      return { account, balance: usd('1'), erasure: ERASURE, position }
    },
    accounts: async ({ page, pageSize }) => ({
      accounts: [{ account: ACCOUNT_RECORD, balance: usd('1') }].slice(
        (page - 1) * pageSize,
        page * pageSize,
      ),
      total: 1,
    }),
    async account(accountId) {
      known(accountId)
      return { account: ACCOUNT_RECORD, balance: usd('1') }
    },
    async credit(_context, { accountId, amount }) {
      known(accountId)
      return { balance: usd('1') + amount, replayed: false, position }
    },
    async changeTier(_context, { accountId, tier }) {
      known(accountId)
      return { account: { ...ACCOUNT_RECORD, tier }, position }
    },
    async changeState(_context, { accountId, state }) {
      known(accountId)
      return { account: { ...ACCOUNT_RECORD, status: state }, position }
    },
    async issueKey(_context, { accountId }) {
      known(accountId)
      return { keyId: 'abcd1234', apiKey: 'mlk_abcd1234_secret', position }
    },
    async keys(accountId) {
      known(accountId)
      return [keyRecord(accountId, 'abcd1234')]
    },
    async revokeKey(_context, { accountId }) {
      known(accountId)
      return { position }
    },
    async rotateKey(_context, { accountId, keyId, graceSeconds }) {
      known(accountId)
      return { keyId, apiKey: 'mlk_new', oldKeyValidUntil: NOW + graceSeconds * 1000, position }
    },
    async *ledger(accountId, query) {
      known(accountId)
      return yield* fakeLedger(query, [])
    },
    async statement(accountId, month) {
      known(accountId)
      return fakeStatement(month)
    },
    embeddings: async () => ({
      model: 'configured',
      dimensions: 384,
      cosineFloor: 0.15,
      pending: 3,
      models: [
        { model: 'configured', items: 5, vectors: 12, accounts: 2, foundBy: 'meaning' },
        { model: 'former', items: 2, vectors: 4, accounts: 1, foundBy: 'meaning' },
        { model: 'lost', items: 1, vectors: 2, accounts: 1, foundBy: 'words' },
      ],
    }),
    checkpoint: async () => CHECKPOINT,
    checkpointKeys: async () => ({ current: CHECKPOINT.key, former: [], handovers: [] }),
    proveEvents: async (_context, subject) => eventProofs(subject),
    proveLedger: async (accountId) => ledgerProof(accountId),
    async proveConsistency(from, to) {
      if (from > to) throw new InvalidInput('VALIDATION_ERROR', 'from is larger than to.', {})
      return ['aGFzaA==']
    },
    async startOperation({ kind, ...parameters }) {
      const operation: Operation = {
        operationId: `op-${operations.size + 1}`,
        kind,
        parameters,
        status: 'running',
        progress: { ratio: 0, message: 'started' },
        result: null,
        error: null,
        startedAt: NOW,
        endedAt: null,
      }
      operations.set(operation.operationId, operation)
      return operation
    },
    operation: async (id) => operations.get(id) ?? null,
    operations: async () => [...operations.values()],
    verifications: () => new Map(),
    async *watchOperation(id, signal) {
      const operation = operations.get(id)!
      yield operation
      if (operation.kind === 'projections-rebuild')
        await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }))
      else yield { ...operation, status: 'succeeded', progress: { ratio: 1, message: 'done' }, endedAt: NOW }
    },
  }
}

const keyRecord = (accountId: string, keyId: string): KeyRecord => ({
  keyId,
  accountId,
  label: 'laptop',
  capabilities: ['read'],
  digest: 'secret-digest',
  previous: { digest: 'aa', validUntil: NOW + 1000 },
  expiresAt: null,
  revoked: false,
  issuedAt: NOW,
})

const RECORDED: Omit<RecordedEvent, 'stream' | 'revision'> = {
  id: ACCOUNT,
  type: 'BalanceCredited',
  version: 1,
  data: {},
  metadata: { timestamp: '2026-11-20T00:00:00.000Z', actor: 'operator' },
  position: 7,
  prev: 'cd'.repeat(32),
  hash: 'ab'.repeat(32),
}

const PLACE = (revision: number) => ({
  index: 4,
  leaf: { position: 7, stream: `ledger-${ACCOUNT}` as const, revision, hash: 'ab'.repeat(32) },
  hashes: ['aGFzaA=='],
})

const eventProofs = (subject: string): EventProofs | null =>
  subject === '7'
    ? { checkpoint: CHECKPOINT.note, key: CHECKPOINT.key, proofs: [{ ...PLACE(0), event: null }] }
    : null

function ledgerProof(accountId: string, since?: number): LedgerProof | null {
  if (accountId !== ACCOUNT) return null
  const { note: checkpoint, key, size } = CHECKPOINT
  const head = PLACE(1)
  const { stream } = head.leaf
  return {
    accountId,
    stream,
    checkpoint,
    key,
    size,
    head,
    consistency: since === undefined ? null : { from: since, hashes: head.hashes },
    async *events() {
      for (const revision of [0, 1]) yield { ...RECORDED, stream, revision }
    },
  }
}
