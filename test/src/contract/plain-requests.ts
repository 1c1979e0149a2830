import { routes, type OperationId } from '@medialog/contract/http'
import type { Answer, Client } from '../harness/client.ts'
import { note, type Served, type Subject } from './served.ts'

type Request = (client: Client, subject: Subject, headers?: Record<string, string>) => Promise<Answer>

export const vectorIdOf = (id: string): string => `vec-${id.slice(id.indexOf('_') + 1)}`

export function analyze(
  client: Client,
  fields: Record<string, string>,
  file: { filename: string; bytes: Uint8Array<ArrayBuffer> | string } = { filename: 'a.txt', bytes: note() },
  headers: Record<string, string> = {},
): Promise<Answer> {
  const form = new FormData()
  for (const [name, value] of Object.entries(fields)) form.set(name, value)
  form.set('file', new Blob([file.bytes]), file.filename)
  return client.request('POST', '/v1/ai/analyze', { form, headers })
}

/** The same for the same Idempotency-Key: a repeat sends the same bytes. */
const textFor = (headers: Record<string, string> = {}): string =>
  headers['idempotency-key'] === undefined
    ? note()
    : `The ferry of ${headers['idempotency-key']} leaves at noon.`

/** Requests of every endpoint that takes a key, with nothing wrong about them. Deleting ones delete what they name. */
export const PLAIN = {
  uploadMedia: (client, _, headers) => client.upload('note.txt', textFor(headers), {}, headers),
  listMedia: (client) => client.request('GET', '/v1/media'),
  readMedia: (client, { doc }) => client.request('GET', `/v1/media/${doc}`),
  deleteMedia: (client, { doc }) => client.request('DELETE', `/v1/media/${doc}`),
  deleteMediaBatch: (client, { doc }) =>
    client.request('DELETE', '/v1/media/batch', { json: { media_ids: [doc] } }),
  listCollections: (client) => client.request('GET', '/v1/media/collections'),
  readCollection: (client, { collection }) => client.request('GET', `/v1/media/collections/${collection}`),
  deleteCollection: (client, { collection }) =>
    client.request('DELETE', `/v1/media/collections/${collection}`),
  moveItems: (client, { doc, collection }) =>
    client.request('POST', `/v1/media/collections/${collection}/items`, { json: { items: [doc] } }),
  createBatch: (client, _, headers) =>
    client.batch([{ filename: 'note.txt', bytes: textFor(headers) }], {}, headers),
  listBatches: (client) => client.request('GET', '/v1/batches'),
  readBatch: (client, { batch }) => client.request('GET', `/v1/batches/${batch}`),
  readBatchResults: (client, { batch }) => client.request('GET', `/v1/batches/${batch}/results`),
  cancelBatch: (client, { batch }) => client.request('PUT', `/v1/batches/${batch}/state`),
  ask: (client, { doc }, headers) =>
    client.request('POST', '/v1/ai/query', {
      json: { query: 'When does the ferry leave?', media_id: vectorIdOf(doc) },
      headers,
    }),
  analyzeFile: (client, _, headers) =>
    analyze(
      client,
      { query: 'When does it leave?' },
      { filename: 'a.txt', bytes: textFor(headers) },
      headers,
    ),
  search: (client, _, headers) =>
    client.request('POST', '/v1/search', {
      json: { query: 'ferry to Grímsey', type: 'advanced', collections: 'all' },
      headers,
    }),
  findSimilar: (client, { doc }, headers) =>
    client.request('POST', '/v1/search/similar', { json: { media_id: doc }, headers }),
  readStatus: (client) => client.request('GET', '/v1/status'),
  readUsage: (client) => client.request('GET', '/v1/usage?detailed=true'),
  readLedger: (client) => client.request('GET', '/v1/audit/ledger?page_size=1000'),
  readStatement: (client) => client.request('GET', '/v1/audit/statement'),
  readUsageDiff: (client) => client.request('GET', '/v1/usage/diff'),
  followEvents: (client) => client.request('GET', '/v1/events'),
} as const satisfies Partial<Record<OperationId, Request>>

export type KeyedOperation = keyof typeof PLAIN
export const plain = (operation: KeyedOperation): Request => PLAIN[operation]

/** Another request under the same Idempotency-Key. */
export const DIFFERENT: { readonly [operation: string]: Request } = {
  uploadMedia: (client, _, headers) => client.upload('other.txt', note(), {}, headers),
  createBatch: (client, _, headers) => client.batch([{ filename: 'other.txt', bytes: note() }], {}, headers),
  analyzeFile: (client, _, headers) => analyze(client, { query: 'Where to?' }, undefined, headers),
  ask: (client, _, headers) => client.request('POST', '/v1/ai/query', { json: { query: 'Who?' }, headers }),
  search: (client, _, headers) =>
    client.request('POST', '/v1/search', { json: { query: 'Anna', type: 'advanced' }, headers }),
  findSimilar: (client, { doc }, headers) =>
    client.request('POST', '/v1/search/similar', { json: { media_id: doc, cluster: true }, headers }),
}

/** As the document shows it: `POST /v1/media`. */
export const addressOf = (operation: OperationId): string =>
  `${routes[operation].method.toUpperCase()} ${routes[operation].path}`

/** The same request of an account's item that the key's other answers do not stand on. */
export async function withNewItem(served: Served): Promise<Subject> {
  const { main } = served
  const { body } = await main.client.upload('passing.txt', note(), { collection_id: 'passing' })
  return { ...main, doc: body.data.media_id, collection: 'passing' }
}
