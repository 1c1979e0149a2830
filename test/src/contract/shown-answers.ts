import { EngineUnavailable } from '@medialog/application'
import type { OperationId } from '@medialog/contract/http'
import { withHeaders, type Answer, type Client } from '../harness/client.ts'
import { batchWhere } from '../harness/batches.ts'
import {
  DIFFERENT,
  PLAIN,
  analyze,
  plain,
  requestOf,
  withNewItem,
  type KeyedOperation,
} from './plain-requests.ts'
import { gate, type Fault } from './port-faults.ts'
import { ANSWERS, CAPABILITIES } from './specification.ts'
import { fixture, note, type Served } from './served.ts'

/** How an answer is provoked, or why it cannot be. */
export type ShownAnswer = { how: string; ask(served: Served): Promise<Answer> } | { cannot: string }
type Shown = { [answer: string]: ShownAnswer }

const shown = (how: string, ask: (served: Served) => Promise<Answer>): ShownAnswer => ({ how, ask })
const plainly = (operation: KeyedOperation) => (served: Served) =>
  plain(operation)(served.main.client, served.main)
const get = (path: string) => (served: Served) => served.main.client.request('GET', path)
const post = (path: string, json: unknown) => (served: Served) =>
  served.main.client.request('POST', path, { json })
const UNKNOWN = '00000000-0000-5000-8000-000000000000'
const fileOf = async (name: string) => ({ filename: name.split('/').at(-1)!, bytes: await fixture(name) })
const upload = (name: string) => async (served: Served) => {
  const { filename, bytes } = await fileOf(name)
  return served.main.client.upload(filename, bytes)
}
const analyzed = (name: string) => async (served: Served) =>
  analyze(served.main.client, { query: 'What is it?' }, await fileOf(name))
const withoutFile = (path: string) => (served: Served) => {
  const form = new FormData()
  form.set('query', 'What is it?')
  return served.main.client.request('POST', path, { form })
}
const UNSUPPORTED = { filename: 'a.xyz', bytes: 'plain text' }
/** A table of 20 MB and a byte. */
const tooLarge = () => ({ filename: 'large.csv', bytes: Buffer.alloc(20_000_001, 'a,b\n') })

/** The port in which a fault makes the endpoint fail. */
const PORTS = {
  uploadMedia: 'understanding.understand',
  listMedia: 'catalog.list',
  readMedia: 'catalog.item',
  deleteMedia: 'catalog.item',
  deleteMediaBatch: 'catalog.items',
  listCollections: 'catalog.collections',
  readCollection: 'catalog.collection',
  deleteCollection: 'catalog.collection',
  moveItems: 'catalog.items',
  createBatch: 'staging.stage',
  listBatches: 'batches.list',
  readBatch: 'batches.batch',
  readBatchResults: 'batches.jobs',
  cancelBatch: 'eventStore.read',
  ask: 'languageModel.answer',
  analyzeFile: 'languageModel.analyze',
  search: 'search.prepare',
  findSimilar: 'catalog.item',
  readStatus: 'accounts.key',
  readUsage: 'usage.balance',
  readLedger: 'eventStore.read',
  readStatement: 'eventStore.read',
  readMediaHistory: 'history.ofItem',
  readRequest: 'history.ofRequest',
  readUsageDiff: 'usage.balance',
  followEvents: 'eventStore.head',
} as const satisfies Record<KeyedOperation, string>

const failing: Fault = () => {
  throw new Error('a fault of this test')
}
const away: Fault = () => {
  throw new EngineUnavailable('test', 'away, for this test')
}
const full: Fault = async () => ({ vectors: 1_000_000_000, bytes: 0 })
const codeOf = (operation: KeyedOperation, status: number): string =>
  ANSWERS[operation].split(', ').find((answer) => answer.startsWith(`${status} `))!

const capabilityOf = (operation: KeyedOperation) =>
  (Object.keys(CAPABILITIES) as (keyof typeof CAPABILITIES)[]).find((capability) =>
    (CAPABILITIES[capability] as readonly string[]).includes(operation),
  )!

const LOST = 'an X-Min-Position beyond the end of the log'

/** A position of an answer, and a log that ends before it. */
function lost(operation: KeyedOperation): (served: Served) => Promise<Answer> {
  return async ({ faults, keyFor, main }) => {
    const client = await keyFor(main.accountId, ['read', 'write', 'delete'])
    const { headers } = await client.request('GET', '/v1/status')
    const position = headers.get('x-position')!
    return faults.during(
      'projections.position',
      () => 0,
      () =>
        faults.during(
          'eventStore.head',
          () => 0,
          () => plain(operation)(withHeaders(client, { 'x-min-position': position }), main),
        ),
    )
  }
}

/** What every endpoint with a key answers in the same circumstances. */
function keyed(operation: KeyedOperation): Shown {
  const request = plain(operation)
  const isLower = ANSWERS[operation].includes('invalid_api_key')
  const spelt = (code: string) => (isLower ? code.toLowerCase() : code)
  const needed = capabilityOf(operation)
  const port = PORTS[operation]
  const during = (fault: Fault) => async (served: Served) => {
    // With a key of its own: one that was seen before is known without its read model.
    const client = await served.keyFor(served.main.accountId, ['read', 'write', 'delete'])
    return served.faults.during(port, fault, () => request(client, served.main))
  }
  return {
    [spelt('401 INVALID_API_KEY')]: shown('no X-Api-Key', (served) => request(served.as({}), served.main)),
    [spelt('403 INSUFFICIENT_PERMISSIONS')]: shown(`a key without \`${needed}\``, async (served) => {
      const others = (['read', 'write', 'delete'] as const).filter((capability) => capability !== needed)
      return request(await served.keyFor(served.main.accountId, others), served.main)
    }),
    [spelt('429 RATE_LIMIT_EXCEEDED')]: shown(
      'one request more than the tier allows in 60 s',
      async (served) => request(await served.exhausted(), served.main),
    ),
    ...(needed === 'read' && { [spelt('409 POSITION_LOST')]: shown(LOST, lost(operation)) }),
    [codeOf(operation, 500)]: shown(`\`${port}\` fails`, during(failing)),
    [spelt('503 SERVICE_UNAVAILABLE')]: shown(`\`${port}\` is unavailable`, during(away)),
  }
}

/** What every endpoint that costs money answers in the same circumstances. */
function paid(operation: KeyedOperation, statusOfFunds: 402 | 403): Shown {
  const request = plain(operation)
  const isLower = operation === 'createBatch'
  const spelt = (code: string) => (isLower ? code.toLowerCase() : code)
  const key = (name: string) => ({ 'idempotency-key': `${operation} ${name}`.replaceAll(' ', '-') })
  return {
    [spelt(`${statusOfFunds} INSUFFICIENT_FUNDS`)]: shown('an account whose money is spent', (served) =>
      request(served.poor.client, served.poor),
    ),
    [spelt('403 ACCOUNT_SUSPENDED')]: shown('a suspended account', (served) =>
      request(served.suspended.client, served.suspended),
    ),
    [spelt('409 REQUEST_IN_PROGRESS')]: shown(
      'the same Idempotency-Key while the first request waits for its charge',
      async ({ faults, subject }) => {
        // An account of its own: nothing else of it may come to the gate.
        const busy = await subject(1)
        const { reached, open, pass } = gate()
        const atLedger: Fault = (real, [stream]) =>
          stream === `ledger-${busy.accountId}` ? pass(real, []) : real()
        return faults.during('eventStore.append', atLedger, async () => {
          const first = request(busy.client, busy, key('twins'))
          await reached
          const second = await request(busy.client, busy, key('twins'))
          open()
          await first
          return second
        })
      },
    ),
    [spelt('422 IDEMPOTENCY_KEY_REUSED')]: shown(
      'another request under the same Idempotency-Key',
      async ({ main }) => {
        await request(main.client, main, key('reused'))
        return DIFFERENT[operation]!(main.client, main, key('reused'))
      },
    ),
  }
}

/** The repeat under an Idempotency-Key after the item was deleted. */
const gone = (operation: KeyedOperation) =>
  shown('the repeat under an Idempotency-Key after the item was deleted', async (served) => {
    const headers = { 'idempotency-key': `${operation}-gone` }
    const subject = await withNewItem(served)
    const first = await plain(operation)(served.main.client, subject, headers)
    const doc: string = first.body.data.media_id ?? subject.doc
    await served.main.client.request('DELETE', `/v1/media/${doc}`)
    return plain(operation)(served.main.client, subject, headers)
  })

const asOperator = (method: string, path: (served: Served) => string, json?: unknown) => (served: Served) =>
  served.operator.request(method, path(served), { ...(json !== undefined && { json }) })

/** The operator's endpoints: what is asked of the account, and of one that is not there. */
function administered(method: string, path: string, json?: unknown, wrong?: unknown): Shown {
  const of = (accountId: string) => path.replace('{account_id}', accountId)
  return {
    '200': shown(
      'the operator’s request',
      asOperator(method, ({ poor }) => of(poor.accountId), json),
    ),
    '401 INVALID_OPERATOR_TOKEN': shown('a wrong X-Operator-Token', (served) =>
      served
        .as({ 'x-operator-token': 'wrong' })
        .request(method, of(UNKNOWN), { ...(json !== undefined && { json }) }),
    ),
    ...(path.includes('{account_id}') && {
      '404 ACCOUNT_NOT_FOUND': shown(
        'an unknown account',
        asOperator(method, () => of(UNKNOWN), json),
      ),
    }),
    ...(wrong !== undefined && {
      '400 VALIDATION_ERROR': shown(
        `the body \`${JSON.stringify(wrong)}\``,
        asOperator(method, ({ poor }) => of(poor.accountId), wrong),
      ),
    }),
  }
}

const ofAccount = (what: string): Shown => ({
  ...administered('GET', `/admin/accounts/{account_id}/${what}`),
  '400 VALIDATION_ERROR': shown(
    '`month=november`',
    asOperator('GET', ({ poor }) => `/admin/accounts/${poor.accountId}/${what}?month=november`),
  ),
})

async function newKey({ operator, poor }: Served): Promise<string> {
  const path = `/admin/accounts/${poor.accountId}/keys`
  return (await operator.request('POST', path, { json: {} })).body.data.key_id
}

function ofKey(method: string, rest: string): Shown {
  const path = '/admin/accounts/{account_id}/keys/unknown' + rest
  const { '200': _, ...others } = administered(method, path)
  return {
    ...others,
    '200': shown('a key of the account', async (served) =>
      served.operator.request(
        method,
        `/admin/accounts/${served.poor.accountId}/keys/${await newKey(served)}${rest}`,
      ),
    ),
    '404 KEY_NOT_FOUND': shown(
      'an unknown key',
      asOperator(method, ({ poor }) => path.replace('{account_id}', poor.accountId)),
    ),
  }
}

const unreadable = (send: (name: string) => (served: Served) => Promise<Answer>): Shown => ({
  '400 CORRUPTED_FILE': shown('a PNG that ends in its middle', async (served) => {
    const bytes = (await fixture('images/sample.png')).subarray(0, 300)
    return send === upload
      ? served.main.client.upload('cut.png', bytes)
      : analyze(served.main.client, { query: 'What is it?' }, { filename: 'cut.png', bytes })
  }),
  '400 ENCRYPTED_FILE': shown('a PDF with a password', send('hostile/encrypted_user.pdf')),
})

const withPart = (client: Client, path: string, parts: number, fields: Record<string, string> = {}) => {
  const form = new FormData()
  for (const [name, value] of Object.entries(fields)) form.set(name, value)
  for (let part = 0; part < parts; part++) form.append('file', new Blob([note()]), `${part}.txt`)
  return client.request('POST', path, { form })
}

const OWN: { readonly [Id in OperationId]?: Shown } = {
  uploadMedia: {
    '200': shown('a text', plainly('uploadMedia')),
    ...unreadable(upload),
    '400 MISSING_FILE': shown('a form without a file', withoutFile('/v1/media')),
    '400 UNSUPPORTED_FILE_TYPE': shown('plain text named .xyz', ({ main }) =>
      main.client.upload(UNSUPPORTED.filename, UNSUPPORTED.bytes),
    ),
    '400 FILE_SIZE_EXCEEDED': shown('a document of 20 MB and one byte', ({ main }) => {
      const { filename, bytes } = tooLarge()
      return main.client.upload(filename, bytes)
    }),
    '400 INVALID_PARAMETER': shown('two parts named file', ({ main }) =>
      withPart(main.client, '/v1/media', 2),
    ),
    '403 QUOTA_EXCEEDED': shown('`catalog.storage` says that the quota is used up', (served) =>
      served.faults.during('catalog.storage', full, () => plainly('uploadMedia')(served)),
    ),
    '409 DUPLICATE_FILE': shown('the same bytes again', async ({ main }) => {
      const text = note()
      await main.client.upload('once.txt', text)
      return main.client.upload('twice.txt', text)
    }),
    '410 GONE': gone('uploadMedia'),
  },
  listMedia: {
    '200': shown('the first page', get('/v1/media')),
    '400 INVALID_PARAMETER': shown('`page=0`', get('/v1/media?page=0')),
  },
  readMedia: {
    '200': shown('an item', plainly('readMedia')),
    '400 INVALID_PARAMETER': shown('`include_vectors=maybe`', ({ main }) =>
      main.client.request('GET', `/v1/media/${main.doc}?include_vectors=maybe`),
    ),
    '404 RESOURCE_NOT_FOUND': shown('another account’s item', ({ main, poor }) =>
      main.client.request('GET', `/v1/media/${poor.doc}`),
    ),
  },
  deleteMedia: {
    '200': shown('an item', async (served) => {
      const { doc } = await withNewItem(served)
      return served.main.client.request('DELETE', `/v1/media/${doc}`)
    }),
    '400 INVALID_PARAMETER': shown('an unknown query parameter', ({ main }) =>
      main.client.request('DELETE', `/v1/media/${main.doc}?really=true`),
    ),
    '404 RESOURCE_NOT_FOUND': shown('another account’s item', ({ main, poor }) =>
      main.client.request('DELETE', `/v1/media/${poor.doc}`),
    ),
  },
  deleteMediaBatch: {
    '200': shown('an item and an unknown id', async (served) => {
      const { doc } = await withNewItem(served)
      return served.main.client.request('DELETE', '/v1/media/batch', {
        json: { media_ids: [doc, `doc_${UNKNOWN}`] },
      })
    }),
    '400 MISSING_MEDIA_IDS': shown('`media_ids` absent', deleteBatch({})),
    '400 INVALID_MEDIA_IDS': shown('`media_ids` empty', deleteBatch({ media_ids: [] })),
    '400 BATCH_TOO_LARGE': shown('101 ids', deleteBatch({ media_ids: Array(101).fill(`doc_${UNKNOWN}`) })),
  },
  listCollections: { '200': shown('all of an account', plainly('listCollections')) },
  readCollection: {
    '200': shown('a collection with an item', plainly('readCollection')),
    '400 VALIDATION_ERROR': shown('the id `-`', get('/v1/media/collections/-')),
    '404 COLLECTION_NOT_FOUND': shown('an unknown collection', get('/v1/media/collections/nowhere')),
  },
  deleteCollection: {
    '200': shown('a collection with an item', async (served) =>
      plain('deleteCollection')(served.main.client, await withNewItem(served)),
    ),
    '400 VALIDATION_ERROR': shown('the id `-`', deleting('-')),
    '400 CANNOT_DELETE_DEFAULT': shown('`default`', deleting('default')),
    '404 COLLECTION_NOT_FOUND': shown('an unknown collection', deleting('nowhere')),
  },
  moveItems: {
    '200': shown('an item into another collection and back', async (served) => {
      await plain('moveItems')(served.main.client, { ...served.main, collection: 'elsewhere' })
      return plainly('moveItems')(served)
    }),
    '400 VALIDATION_ERROR': shown('`items` empty', post('/v1/media/collections/a/items', { items: [] })),
    '400 BATCH_SIZE_EXCEEDED': shown(
      '1001 items',
      post('/v1/media/collections/a/items', { items: Array(1001).fill(`doc_${UNKNOWN}`) }),
    ),
    '404 ITEMS_NOT_FOUND': shown('another account’s item', ({ main, poor }) =>
      main.client.request('POST', '/v1/media/collections/a/items', { json: { items: [poor.doc] } }),
    ),
  },
  createBatch: {
    '200': shown('a text', plainly('createBatch')),
    '400 validation_error': shown('no file', ({ main }) =>
      withPart(main.client, '/v1/batches', 0, { force_overwrite: 'false' }),
    ),
    '400 invalid_media': shown('a file of no known format', ({ main }) => main.client.batch([UNSUPPORTED])),
    '403 quota_exceeded': shown('`catalog.storage` says that the quota is used up', (served) =>
      served.faults.during('catalog.storage', full, () => plainly('createBatch')(served)),
    ),
    '404 file_not_found': { cannot: 'Files come with the request: it names no path that could be missing.' },
    '410 gone': {
      cannot: 'A batch and its history outlive its items: its creation can always be told again.',
    },
  },
  listBatches: {
    '200': shown('all of an account', plainly('listBatches')),
    '400 validation_error': shown('`status=lost`', get('/v1/batches?status=lost')),
  },
  readBatch: {
    '200': shown('a batch', plainly('readBatch')),
    '400 validation_error': shown('an unknown query parameter', ({ main }) =>
      main.client.request('GET', `/v1/batches/${main.batch}?page=1`),
    ),
    '404 not_found': shown('another account’s batch', ({ main, poor }) =>
      main.client.request('GET', `/v1/batches/${poor.batch}`),
    ),
  },
  readBatchResults: {
    '200': shown('a batch that has ended', async ({ main }) => {
      await batchWhere(main.client, main.batch, ({ status }) => status === 'completed')
      return main.client.request('GET', `/v1/batches/${main.batch}/results`)
    }),
    '400 validation_error': shown('`page_size=101`', ({ main }) =>
      main.client.request('GET', `/v1/batches/${main.batch}/results?page_size=101`),
    ),
    '404 not_found': shown('another account’s batch', ({ main, poor }) =>
      main.client.request('GET', `/v1/batches/${poor.batch}/results`),
    ),
  },
  cancelBatch: {
    '200': shown('a batch that has ended', plainly('cancelBatch')),
    '400 validation_error': shown('an unknown query parameter', ({ main }) =>
      main.client.request('PUT', `/v1/batches/${main.batch}/state?state=running`),
    ),
    '404 not_found': shown('another account’s batch', ({ main, poor }) =>
      main.client.request('PUT', `/v1/batches/${poor.batch}/state`),
    ),
  },
  ask: {
    '200': shown('a question about an item', plainly('ask')),
    '400 MISSING_QUERY': shown('no `query`', post('/v1/ai/query', {})),
    '400 INPUT_TOO_LARGE': shown(
      'a context of 100 001 tokens',
      post('/v1/ai/query', { query: 'wind', context: 'wind '.repeat(100_000) }),
    ),
    '400 VALIDATION_ERROR': shown('`media_id` not starting with vec-', ({ main }) =>
      main.client.request('POST', '/v1/ai/query', { json: { query: 'Who?', media_id: main.doc } }),
    ),
    '404 RESOURCE_NOT_FOUND': shown(
      'an unknown item',
      post('/v1/ai/query', { query: 'Who?', media_id: `vec-${UNKNOWN}` }),
    ),
    '410 GONE': gone('ask'),
  },
  analyzeFile: {
    '200': shown('a text', plainly('analyzeFile')),
    ...unreadable(analyzed),
    '400 MISSING_FILE': shown('a form without a file', withoutFile('/v1/ai/analyze')),
    '400 MISSING_QUERY': shown('a form without a query', ({ main }) => analyze(main.client, {})),
    '400 UNSUPPORTED_FILE_TYPE': shown('plain text named .xyz', ({ main }) =>
      analyze(main.client, { query: 'What is it?' }, UNSUPPORTED),
    ),
    '400 FILE_SIZE_EXCEEDED': shown('a document of 20 MB and one byte', ({ main }) =>
      analyze(main.client, { query: 'What is it?' }, tooLarge()),
    ),
    '400 INVALID_PARAMETER': shown('`response_format=xml`', ({ main }) =>
      analyze(main.client, { query: 'What is it?', response_format: 'xml' }),
    ),
    '410 GONE': shown('`keptAnswers.get` finds nothing', async (served) => {
      const repeated = () =>
        plain('analyzeFile')(served.main.client, served.main, { 'idempotency-key': 'analyzeFile-gone' })
      await repeated()
      return served.faults.during('keptAnswers.get', async () => null, repeated)
    }),
  },
  search: {
    '200': shown('an advanced search', plainly('search')),
    '400 VALIDATION_ERROR': shown('an empty `query`', post('/v1/search', { query: '' })),
    '404 COLLECTION_NOT_FOUND': shown(
      'an unknown collection',
      post('/v1/search', { query: 'a', collections: 'nowhere' }),
    ),
    '410 GONE': gone('search'),
  },
  findSimilar: {
    '200': shown('what is similar to an item', plainly('findSimilar')),
    '400 VALIDATION_ERROR': shown('no `media_id`', post('/v1/search/similar', {})),
    '404 RESOURCE_NOT_FOUND': shown('another account’s item', ({ main, poor }) =>
      main.client.request('POST', '/v1/search/similar', { json: { media_id: poor.doc } }),
    ),
    '404 COLLECTION_NOT_FOUND': shown('an unknown collection', ({ main }) =>
      main.client.request('POST', '/v1/search/similar', {
        json: { media_id: main.doc, collections: ['nowhere'] },
      }),
    ),
    '410 GONE': gone('findSimilar'),
  },
  readStatus: {
    '200': shown('the status', plainly('readStatus')),
  },
  readUsage: {
    '200': shown('the usage', plainly('readUsage')),
    '400 validation_error': shown('`start_time=yesterday`', get('/v1/usage?start_time=yesterday')),
    '404 resource_not_found': shown('`accounts.account` knows no such account', (served) =>
      served.faults.during(
        'accounts.account',
        async () => null,
        () => plainly('readUsage')(served),
      ),
    ),
  },
  readLedger: {
    '200': shown('the ledger', plainly('readLedger')),
    '400 VALIDATION_ERROR': shown(
      '`month=2026-11&from=2026-11-02`',
      get('/v1/audit/ledger?month=2026-11&from=2026-11-02'),
    ),
  },
  readStatement: {
    '200': shown('the statement of the current month', plainly('readStatement')),
    '400 VALIDATION_ERROR': shown('a month that has not begun', get('/v1/audit/statement?month=2999-01')),
    '404 ACCOUNT_NOT_FOUND': shown(
      'a month before the account was opened',
      get('/v1/audit/statement?month=2001-01'),
    ),
  },
  readMediaHistory: {
    '200': shown('the history of an item', plainly('readMediaHistory')),
    '400 INVALID_PARAMETER': shown('`page_size=0`', ({ main }) =>
      main.client.request('GET', `/v1/media/${main.doc}/history?page_size=0`),
    ),
    '404 RESOURCE_NOT_FOUND': shown(
      'an id to which nothing ever happened',
      get('/v1/media/doc_0190d3c2-6f0e-5b1a-9c1d-2f6f5f0a7b11/history'),
    ),
  },
  readRequest: {
    '200': shown('the request that made a batch', plainly('readRequest')),
    '400 VALIDATION_ERROR': shown('`page=none`', ({ main }) =>
      main.client.request('GET', `/v1/requests/${requestOf(main.batch)}?page=none`),
    ),
    '404 RESOURCE_NOT_FOUND': shown(
      'an id of which nothing is known',
      get('/v1/requests/req_0190d3c2-6f0e-7b1a-9c1d-2f6f5f0a7b11'),
    ),
  },
  readUsageDiff: {
    '200': shown('seven days', plainly('readUsageDiff')),
    '400 validation_error': shown('`from=yesterday`', get('/v1/usage/diff?from=yesterday')),
    '404 resource_not_found': shown('`accounts.account` knows no such account', (served) =>
      served.faults.during(
        'accounts.account',
        async () => null,
        () => plainly('readUsageDiff')(served),
      ),
    ),
  },
  followEvents: {
    '200': shown('from now on', plainly('followEvents')),
    '400 VALIDATION_ERROR': shown('`after=yesterday`', get('/v1/events?after=yesterday')),
  },
  readAccountLedger: ofAccount('ledger'),
  readAccountStatement: ofAccount('statement'),
  openAccount: administered('POST', '/admin/accounts', { name: 'one more' }, { name: '' }),
  listAccounts: {
    ...administered('GET', '/admin/accounts'),
    '400 VALIDATION_ERROR': shown(
      '`page=0`',
      asOperator('GET', () => '/admin/accounts?page=0'),
    ),
  },
  readAccount: administered('GET', '/admin/accounts/{account_id}'),
  creditAccount: administered(
    'POST',
    '/admin/accounts/{account_id}/credits',
    { amount: 0.000000001, reference: 'one' },
    { amount: 0 },
  ),
  changeTier: administered(
    'PUT',
    '/admin/accounts/{account_id}/tier',
    { tier: 'enterprise' },
    { tier: 'gold' },
  ),
  changeState: administered(
    'PUT',
    '/admin/accounts/{account_id}/state',
    { state: 'active' },
    { state: 'closed' },
  ),
  issueKey: administered('POST', '/admin/accounts/{account_id}/keys', {}, { capabilities: ['all'] }),
  listKeys: administered('GET', '/admin/accounts/{account_id}/keys'),
  revokeKey: ofKey('DELETE', ''),
  rotateKey: {
    ...ofKey('POST', '/rotate'),
    '400 VALIDATION_ERROR': shown('the body `{"grace_seconds":-1}`', async (served) =>
      served.operator.request(
        'POST',
        `/admin/accounts/${served.poor.accountId}/keys/${await newKey(served)}/rotate`,
        { json: { grace_seconds: -1 } },
      ),
    ),
  },
  startOperation: administered('POST', '/admin/operations', { kind: 'log-verify' }, { kind: 'nap' }),
  readOperation: {
    '200': shown('the last operation', async ({ operator }) => {
      const { body } = await operator.request('GET', '/admin/operations')
      return operator.request('GET', `/admin/operations/${body.data.operations[0].operation_id}`)
    }),
    '401 INVALID_OPERATOR_TOKEN': shown('a wrong X-Operator-Token', (served) =>
      served.as({ 'x-operator-token': 'wrong' }).request('GET', `/admin/operations/${UNKNOWN}`),
    ),
    '404 RESOURCE_NOT_FOUND': shown(
      'an unknown operation',
      asOperator('GET', () => `/admin/operations/${UNKNOWN}`),
    ),
  },
  healthz: { '200': shown('without a key', openly('/healthz')) },
  readyz: {
    '200': shown('without a key', openly('/readyz')),
    '503 SERVICE_UNAVAILABLE': shown('`eventStore.trouble` names a trouble', (served) =>
      served.faults.during(
        'eventStore.trouble',
        () => 'a fault of this test',
        () => openly('/readyz')(served),
      ),
    ),
  },
  metrics: {
    '200': shown('with the operator’s token', ({ as }) =>
      as({ authorization: 'Bearer a-token-for-the-tests' }).request('GET', '/metrics'),
    ),
    '401 INVALID_OPERATOR_TOKEN': shown('a wrong token', ({ as }) =>
      as({ authorization: 'Bearer wrong' }).request('GET', '/metrics'),
    ),
  },
  openapi: { '200': shown('without a key', openly('/openapi.json')) },
  asyncapi: { '200': shown('without a key', openly('/asyncapi.json')) },
  docs: { '200': shown('without a key', openly('/docs')) },
}

function openly(path: string) {
  return ({ as }: Served) => as({}).request('GET', path)
}
function deleteBatch(json: unknown) {
  return ({ main }: Served) => main.client.request('DELETE', '/v1/media/batch', { json })
}
function deleting(collection: string) {
  return ({ main }: Served) => main.client.request('DELETE', `/v1/media/collections/${collection}`)
}

const FUNDS: { readonly [Id in KeyedOperation]?: 402 | 403 } = {
  uploadMedia: 403,
  createBatch: 403,
  ask: 402,
  analyzeFile: 402,
  search: 402,
  findSimilar: 402,
}

/** By `operation status code`. */
export const SHOWN_ANSWERS: ReadonlyMap<string, ShownAnswer> = new Map(
  Object.entries(OWN).flatMap(([id, own]) => {
    const operation = id as KeyedOperation
    const all: Shown = {
      ...own,
      ...(operation in PLAIN && keyed(operation)),
      ...(FUNDS[operation] && paid(operation, FUNDS[operation])),
    }
    return Object.entries(all).map(([answer, provoked]) => [`${id} ${answer}`, provoked] as const)
  }),
)
