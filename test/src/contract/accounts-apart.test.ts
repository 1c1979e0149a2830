import { afterAll, beforeAll, expect, test } from 'vitest'
import { endedBatch } from '../harness/batches.ts'
import type { Answer, Client } from '../harness/client.ts'
import { analyze, requestOf, vectorIdOf } from './plain-requests.ts'
import { fixture, openService, type OpenService } from './served.ts'

/**
 * One account's answers, where it is alone and where another holds the same files and more: they are the same, but for
 * what is made anew each time (ids, times).
 */

const FILES = [
  'demo/galloping-gertie.txt',
  'demo/whales-asleep.md',
  'demo/kimchi.txt',
  'images/sample.svg',
  'images/sample.jpg',
  '3d/sample.glb',
]
const IN_BATCH = ['spreadsheet/sample.csv', 'data/sample.json']

/** What the other has besides: the same names and words over and over, so that they would count for less or for more. */
const MORE = Array.from({ length: 3 }, (_, n) => ({
  filename: n === 0 ? 'galloping-gertie.txt' : `bridge-${n}.txt`,
  bytes: `${n}: whales, garlic and the Tacoma Narrows Bridge in the wind, as Leon Moisseiff told Quintessa Overlord ${n} times.`,
}))
const ONLY_THEIRS = 'Quintessa'

interface Apart {
  service: OpenService
  client: Client
  accountId: string
  /** Of an item that is not the account's: the other's, or nobody's. */
  foreign: { item: string; batch: string; collection: string }
}

let alone: Apart
let beside: Apart

const basename = (path: string): string => path.split('/').at(-1)!

async function fill(client: Client): Promise<string> {
  for (const [n, name] of FILES.entries())
    expect(
      await client.upload(basename(name), await fixture(name), { collection_id: n % 2 ? 'odd' : 'default' }),
    ).toMatchObject({ status: 200 })
  const files = await Promise.all(
    IN_BATCH.map(async (name) => ({ filename: basename(name), bytes: await fixture(name) })),
  )
  const { body } = await client.batch(files, { batch_options: '{"batch_name": "both"}' })
  await endedBatch(client, body.data.batch_id)
  return body.data.batch_id
}

async function open(withOther: boolean): Promise<Apart> {
  const service = await openService()
  const nobody = '00000000-0000-5000-8000-000000000000'
  const foreign = { item: `doc_${nobody}`, batch: `batch_${nobody}`, collection: 'theirs' }
  if (withOther) {
    const { client } = await service.openAccount(10)
    foreign.batch = await fill(client)
    for (const { filename, bytes } of MORE) {
      const { body } = await client.upload(filename, bytes, { collection_id: 'theirs' })
      foreign.item = body.data.media_id
    }
    // Everything that might be kept between requests is.
    await client.request('POST', '/v1/search', {
      json: { query: ONLY_THEIRS, type: 'advanced', collections: 'all' },
    })
  }
  const { accountId, client } = await service.openAccount(10)
  return { service, accountId, client, foreign }
}

beforeAll(async () => {
  ;[alone, beside] = await Promise.all([open(false), open(true)])
}, 240_000)
afterAll(() => Promise.all([alone.service.close(), beside.service.close()]))

const QUERIES = ['whales asleep', 'the bridge in the wind', 'how much garlic', ONLY_THEIRS]

/** Every kind of request that reads, by name; `ids` are those of the account's items. */
function requests(
  ids: readonly string[],
  batch: string,
  { foreign, client }: Apart,
): [string, () => Promise<Answer>][] {
  const get = (path: string) => (): Promise<Answer> => client.request('GET', path)
  const send = (method: string, path: string, json: unknown) => () => client.request(method, path, { json })
  const search = (json: object) =>
    send('POST', '/v1/search', { collections: 'all', max_results: 100, ...json })
  const similar = (json: object) => send('POST', '/v1/search/similar', { max_results: 100, ...json })
  return [
    ...['', '?include_vectors=true', '?media_type=image', '?collection=odd', '?collection=theirs'].map(
      (query): [string, () => Promise<Answer>] => [`list ${query}`, get(`/v1/media${query}`)],
    ),
    ...ids.map((id, n): [string, () => Promise<Answer>] => [
      `item ${n}`,
      get(`/v1/media/${id}?include_vectors=true&include_chunks=true`),
    ]),
    ...ids.map((id, n): [string, () => Promise<Answer>] => [
      `similar ${n}`,
      similar({ media_id: id, cluster: true }),
    ]),
    ['collections', get('/v1/media/collections')],
    ['collection', get('/v1/media/collections/odd')],
    ...QUERIES.flatMap((query): [string, () => Promise<Answer>][] => [
      [`search ${query}`, search({ query })],
      [
        `advanced ${query}`,
        search({ query, type: 'advanced', config: { context_depth: 3, expansion_factor: 10 } }),
      ],
      [`ask ${query}`, send('POST', '/v1/ai/query', { query: `${query}?` })],
    ]),
    [
      'search by type',
      search({ query: 'whales', filters: { media_type: 'document' }, modality: { type: 'image' } }),
    ],
    [
      'search by entity',
      search({ query: 'bridge', filters: { entities: { people: [`${ONLY_THEIRS} Overlord`] } } }),
    ],
    [
      'ask about an item',
      send('POST', '/v1/ai/query', { query: 'When did it open?', media_id: vectorIdOf(ids[0]!) }),
    ],
    [
      'analyze',
      () =>
        analyze(
          client,
          { query: 'Which bridge?', response_format: 'json' },
          { filename: 'a.txt', bytes: 'The bridge fell.' },
        ),
    ],
    ['batches', get('/v1/batches')],
    ['batch', get(`/v1/batches/${batch}`)],
    ['batch results', get(`/v1/batches/${batch}/results`)],
    ['usage', get('/v1/usage?detailed=true')],
    ['ledger', get('/v1/audit/ledger?page_size=1000')],
    ['statement', get('/v1/audit/statement')],
    ['usage compared', get('/v1/usage/diff')],
    ['what was stored', get('/v1/media?as_of=2999-01-01')],
    ['history', get(`/v1/media/${ids[0]}/history`)],
    ['request', get(`/v1/requests/${requestOf(batch)}`)],
    ['status', get('/v1/status')],
    // What is the other's is as what is nobody's.
    ['foreign item', get(`/v1/media/${foreign.item}`)],
    ['foreign deletion', send('DELETE', `/v1/media/${foreign.item}`, undefined)],
    ['foreign deletions', send('DELETE', '/v1/media/batch', { media_ids: [foreign.item] })],
    ['foreign move', send('POST', '/v1/media/collections/odd/items', { items: [foreign.item] })],
    ['foreign similar', similar({ media_id: foreign.item })],
    ['foreign question', send('POST', '/v1/ai/query', { query: 'Who?', media_id: vectorIdOf(foreign.item) })],
    ['foreign collection', get(`/v1/media/collections/${foreign.collection}`)],
    ['foreign collection deleted', send('DELETE', `/v1/media/collections/${foreign.collection}`, undefined)],
    ['foreign collection searched', search({ query: 'bridge', collections: [foreign.collection] })],
    ['foreign history', get(`/v1/media/${foreign.item}/history`)],
    ['foreign request', get(`/v1/requests/${requestOf(foreign.batch)}`)],
    ['foreign batch', get(`/v1/batches/${foreign.batch}`)],
    ['foreign results', get(`/v1/batches/${foreign.batch}/results`)],
    ['foreign cancel', send('PUT', `/v1/batches/${foreign.batch}/state`, undefined)],
  ]
}

const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g
const TIME = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{3})?Z?|\d{4}-\d\d-\d\d/g
/** Ids of keys, and hashes over ids and times. */
const MADE_HERE = /"(hash)":"[0-9a-f]{64}"|"(actor)":"(?!operator)[0-9a-z]{8}"/g
/** The size counts how long reading took, in digits. */
const MEASURED = /"(\w*_ms|\w*_seconds|remaining|size_gb)":[\d.]+/g

/** Without what differs from one request to the next: items go by their files' names, lists stand in one order. */
function comparable({ status, body }: Answer, names: ReadonlyMap<string, string>): unknown {
  const text = JSON.stringify(body)
    .replaceAll(UUID, (id) => names.get(id) ?? 'id')
    .replaceAll(TIME, 'time')
    .replaceAll(MADE_HERE, '"$1$2":""')
    .replaceAll(MEASURED, '"$1":0')
    // Nobody's item has a prefix as the other's has.
    .replaceAll(/(?:doc_|vec-)(?=id")/g, '')
  return { status, body: sorted(JSON.parse(text)) }
}

/** Of equal scores any may be first. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) {
    const entries = value.map(sorted)
    return entries.every((entry) => typeof entry === 'number')
      ? entries
      : entries.sort((a, b) => JSON.stringify(a).localeCompare(JSON.stringify(b)))
  }
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, sorted(inner)]))
}

async function answers(apart: Apart): Promise<Map<string, unknown>> {
  const { client } = apart
  const batch = await fill(client)
  const { items } = (await client.request('GET', '/v1/media')).body.data
  const named: [string, string][] = items.map(
    ({ media_id, file_info }: { media_id: string; file_info: { filename: string } }) => [
      media_id,
      file_info.filename,
    ],
  )
  const names = new Map(named.map(([id, name]) => [vectorIdOf(id).slice('vec-'.length), name]))
  const ids = named.sort(([, a], [, b]) => a.localeCompare(b)).map(([id]) => id)
  const given = new Map<string, unknown>()
  for (const [name, ask] of requests(ids, batch, apart)) {
    const answer = await ask()
    expect(answer.status, name).toBeLessThan(500)
    given.set(name, comparable(answer, names))
  }
  return given
}

test('no answer to an account depends on another that has the same files and more', async () => {
  const [without, withOther] = await Promise.all([answers(alone), answers(beside)])
  expect(without.size).toBeGreaterThan(50)
  for (const [name, answer] of without)
    expect({ name, answer: withOther.get(name) }).toEqual({ name, answer })
  expect(JSON.stringify([...withOther.values()])).not.toContain(`${ONLY_THEIRS} Overlord 1`)
}, 240_000)

test('their items have ids of their own', async () => {
  const { service, client } = beside
  const idsIn = (answer: Answer): string[] =>
    answer.body.data.items.map(({ media_id }: { media_id: string }) => media_id)
  const own = idsIn(await client.request('GET', '/v1/media?page_size=100'))
  const theirs = service.recorded
    .filter(({ operation, answer }) => operation === 'uploadMedia' && answer.status === 200)
    .map(({ answer }) => answer.body.data.media_id as string)
    .slice(0, FILES.length)
  expect(own.length).toBe(FILES.length + IN_BATCH.length)
  expect(own.filter((id) => theirs.includes(id))).toEqual([])
})
