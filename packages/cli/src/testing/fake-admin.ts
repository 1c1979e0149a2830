import { randomUUID } from 'node:crypto'
import { REPRICING } from './fake-audit.ts'
import { LATER, ok, TIME, type Routes, type State } from './wire.ts'

/** The operator's side. */
export const SECOND_ACCOUNT = 'a0000000-0000-4000-8000-000000000002'

export const adminRoutes = ({ account, credits }: State): Routes => [
  [
    'GET',
    /^\/admin\/accounts$/,
    ({ query }) => {
      const page = Number(query.get('page'))
      const all = [account, { ...account, account_id: SECOND_ACCOUNT, name: 'second' }]
      const accounts = all.slice(page - 1, page).map((one) => ({ ...one, created_at: TIME }))
      // However many are asked for, one a page.
      const pagination = { page, page_size: 1, total_items: 2, total_pages: 2, has_next: page < 2 }
      return ok({ accounts, pagination })
    },
  ],
  [
    'POST',
    /^\/admin\/accounts$/,
    ({ body }) => ok({ ...account, created_at: TIME, ...body, balance: Number(body.credit ?? 0) }),
  ],
  ['GET', /^\/admin\/accounts\/([^/]+)$/, () => ok({ ...account, created_at: TIME })],
  [
    'PUT',
    /^\/admin\/accounts\/([^/]+)\/state$/,
    ({ body }) => {
      account.payment_status = String(body.state)
      return ok({ ...account, created_at: TIME })
    },
  ],
  [
    'PUT',
    /^\/admin\/accounts\/([^/]+)\/tier$/,
    ({ body }) => {
      account.tier = String(body.tier)
      return ok({ ...account, created_at: TIME })
    },
  ],
  [
    'POST',
    /^\/admin\/accounts\/([^/]+)\/credits$/,
    ({ body }) => {
      const reference = (body.reference as string | undefined) ?? randomUUID()
      if (!credits.has(reference)) account.balance += Number(body.amount)
      credits.set(reference, Number(body.amount))
      return ok({ balance: account.balance })
    },
  ],
  [
    'GET',
    /^\/admin\/accounts\/([^/]+)\/keys$/,
    () =>
      ok({
        keys: [
          {
            key_id: 'testtest',
            label: 'CI',
            capabilities: ['read'],
            created_at: TIME,
            expires_at: null,
            old_key_valid_until: null,
            revoked: false,
          },
        ],
      }),
  ],
  [
    'POST',
    /^\/admin\/accounts\/([^/]+)\/keys$/,
    () => ok({ key_id: 'newnewne', api_key: 'mlk_newnewne_secret' }),
  ],
  [
    'POST',
    /^\/admin\/accounts\/[^/]+\/keys\/([^/]+)\/rotate$/,
    (_, keyId) => ok({ key_id: keyId, api_key: 'mlk_newnewne_rotated', old_key_valid_until: LATER }),
  ],
  ['DELETE', /^\/admin\/accounts\/[^/]+\/keys\/([^/]+)$/, (_, keyId) => ok({ key_id: keyId })],
  [
    'POST',
    /^\/admin\/operations$/,
    ({ body: { kind, name = 'intact' } }) => ok(operation(String(kind), String(name), 'running')),
  ],
  ['POST', /^\/admin\/audit\/checkpoints$/, () => ok(CHECKPOINT)],
  [
    'GET',
    /^\/admin\/audit\/proofs$/,
    ({ query }) =>
      ok({
        checkpoint: CHECKPOINT.note,
        key: CHECKPOINT.key,
        proofs: [
          {
            index: 6,
            leaf: { position: 7, stream: query.get('subject'), revision: 3, hash: 'ab'.repeat(32) },
            hashes: ['aGFzaA=='],
            event: null,
          },
        ],
      }),
  ],
  [
    'GET',
    /^\/admin\/audit\/consistency$/,
    ({ query }) => ok({ from: Number(query.get('from')), to: Number(query.get('to')), hashes: ['aGFzaA=='] }),
  ],
  [
    'GET',
    /^\/checkpoint-key$/,
    () => ok({ key: CHECKPOINT.key, former_keys: ['medialog/a+old+key'], handovers: [] }),
  ],
  [
    'GET',
    /^\/admin\/embeddings$/,
    () =>
      ok({
        embedder: { model: 'second@1a2b3c4d/onnxruntime-node', dimensions: 48, cosine_floor: 0.3 },
        pending_items: 12,
        models: [
          { model: 'first/onnxruntime-node', items: 12, vectors: 30, accounts: 2, found_by: 'words' },
          {
            model: 'second@1a2b3c4d/onnxruntime-node',
            items: 3,
            vectors: 9,
            accounts: 1,
            found_by: 'meaning',
          },
        ],
      }),
  ],
  ['GET', /^\/admin\/operations$/, () => ok({ operations: [operation('projections-verify', 'catalog')] })],
  [
    'GET',
    /^\/admin\/operations\/op-(.+)$/,
    ({ headers }, id) => {
      const [, kind, name] = /^(.+)-([a-z]+)$/.exec(id)!
      // `accounts` has no stream: the client has to ask again and again.
      if (!headers.accept?.includes('event-stream') || name === 'accounts') return ok(operation(kind!, name!))
      const events = [operation(kind!, name!, 'running'), operation(kind!, name!)]
      return { status: 200, headers: { 'content-type': 'text/event-stream' }, body: events }
    },
  ],
]

const CHECKPOINT = {
  size: 41,
  root: 'cd'.repeat(32),
  note: 'medialog/a\n41\ncm9vdA==\n\n— medialog/a c2lnbmF0dXJl\n',
  key: 'medialog/a+id+key',
}

const proof = (state: string) => ({
  intact: state === 'intact',
  events: 41,
  findings:
    state === 'intact'
      ? []
      : [
          { position: 42, stream: 'media-a', revision: 3, reason: 'the payload is not the one recorded' },
          { position: 77, stream: 'ledger-b', revision: null, reason: 'it was deleted' },
        ],
})

const scavenged = (state: string) => ({
  complete: state === 'intact',
  freed_bytes: 4096,
  places: [
    { name: '10.0.0.1:2113', outcome: 'done', freed_bytes: 4096, said: 'what was erased is out' },
    ...(state === 'intact'
      ? []
      : [{ name: '10.0.0.2:2113', outcome: 'failed', freed_bytes: 0, said: 'the disk is full' }]),
  ],
  seconds: 2.5,
})

const audited = (state: string) => ({
  intact: state === 'intact',
  events: 41,
  findings:
    state === 'intact'
      ? []
      : [
          { what: 'missing', position: 7, stream: 'media-a', revision: 3, reason: 'it is gone' },
          { what: 'cut', position: null, stream: null, revision: null, reason: 'its end is gone' },
        ],
})

const operation = (kind: string, name: string, status = 'succeeded') => ({
  operation_id: `op-${kind}-${name}`,
  kind,
  parameters: { name },
  status,
  progress: { ratio: status === 'running' ? 0.5 : 1, message: status === 'running' ? 'replaying' : 'done' },
  result: status === 'running' ? null : resultOf(kind, name),
  error: null,
  started_at: TIME,
  ended_at: status === 'running' ? null : LATER,
})

function resultOf(kind: string, name: string): object {
  switch (kind) {
    case 'audit-reprice':
      return REPRICING
    case 'log-verify':
      return proof(name)
    case 'audit-verify':
      return audited(name)
    case 'projections-verify':
      return name === 'intact' ? verified : compared(name)
    case 'log-scavenge':
      return scavenged(name)
    case 'log-scavenge-stop':
      return { stopped: 1 }
    case 'embeddings-migrate':
      return { model: 'second', reembedded: 12, gone: 1, pending: name === 'intact' ? 0 : 2, seconds: 2.5 }
    default:
      return compared(name)
  }
}

const compared = (name: string) => ({
  read_model: name,
  digest_in_service: 'aaa',
  digest_rebuilt: name === 'usage' ? 'bbb' : 'aaa',
  identical: name !== 'usage',
})

const verified = {
  identical: false,
  read_models: [
    compared('catalog'),
    compared('usage'),
    { read_model: 'work', identical: false, error: 'The log is away.' },
  ],
  seconds: 2.5,
}
