import { beforeAll, describe, expect, test } from 'vitest'
import type { Answer, Client } from '../harness/client.ts'
import { useServer } from '../harness/suite.ts'
import { expectStatus } from '../harness/expect-status.ts'

const FIXTURES = new URL('../../fixtures/', import.meta.url).pathname
const FILES = {
  'apollo.txt':
    'Apollo 11 was the NASA mission that landed Neil Armstrong and Buzz Aldrin on the Moon in July 1969.',
  'armstrong.txt':
    'Neil Armstrong studied aeronautical engineering at Purdue University and became a test pilot.',
  'purdue.txt': 'Purdue University in West Lafayette has trained engineers since 1869.',
  'kimchi.txt': 'Kimchi is made of cabbage, salt, garlic, ginger and chili. It ferments in clay jars.',
}

const server = useServer()
const ids = new Map<string, string>()
const nano = (usd: number): number => Math.round(usd * 1e9)
const balance = async (of: Client = server.client): Promise<number> =>
  nano((await of.request('GET', '/v1/usage')).body.data.account_info.balance)
const ask = (path: string, json: object, headers = {}, of: Client = server.client): Promise<Answer> =>
  of.request('POST', path, { json, headers })
const advanced = (more: object = {}, headers = {}, of?: Client) =>
  ask('/v1/search', { query: 'landing on the moon', type: 'advanced', ...more }, headers, of)
const similar = (more: object = {}, headers = {}) =>
  ask('/v1/search/similar', { media_id: ids.get('apollo.txt'), ...more }, headers)
const names = ({ body }: Answer): string[] =>
  body.data.results.map(
    (result: { metadata: { file_info: { filename: string } } }) => result.metadata.file_info.filename,
  )

async function upload(to: Client): Promise<void> {
  for (const [name, text] of Object.entries(FILES)) {
    const { body } = await to.upload(name, text)
    if (to === server.client || !ids.has(name)) ids.set(name, body.data.media_id)
  }
  await to.uploadFile(`${FIXTURES}images/sample.png`)
  await to.uploadFile(`${FIXTURES}3d/sample.glb`)
}

beforeAll(() => upload(server.client), 120_000)

describe('advanced search', () => {
  test('follows names from one item to the next, and costs what it reached', async () => {
    const before = await balance()
    const answer = await advanced({ config: { context_depth: 2 } })
    expectStatus(answer, 200)
    const { data } = answer.body
    expect(names(answer).slice(0, 3)).toEqual(['apollo.txt', 'armstrong.txt', 'purdue.txt'])
    const [first, , third] = data.results
    expect(first).toMatchObject({ context_depth: 0, expansion_path: [] })
    expect(third.context_depth).toBe(2)
    const phrases = third.expansion_path.map((step: { relationship_type: string }) => step.relationship_type)
    expect(phrases).toEqual(['both name Neil Armstrong', 'both name Purdue University'])
    expect(third.expansion_path[0].source_id).toBe(first.media_id)
    expect(third.relevance_explanation).toContain('→ purdue.txt (both name Purdue University)')
    expect(data.meta.cost).toEqual({ amount: 0.03, depth_reached: 2 })
    expect(await balance()).toBe(before - nano(0.03))
  })

  test('refunds what was not reached, and goes nowhere at depth 0', async () => {
    const before = await balance()
    const nowhere = await advanced({ query: 'how to ferment cabbage', config: { context_depth: 5 } })
    const { amount, depth_reached: reached } = nowhere.body.data.meta.cost
    expect(reached).toBeLessThan(5)
    expect(nano(amount)).toBe(nano(0.01) * (1 + reached))
    expect(await balance()).toBe(before - nano(amount))
    const direct = await advanced({ config: { context_depth: 0 } })
    expect(direct.body.data.cost).toBe(0.01)
    const basic = await ask('/v1/search', { query: 'landing on the moon' })
    expect(names(direct)).toEqual(names(basic))
  })

  test('connects across media types', async () => {
    const { body } = await advanced({ query: 'sample png picture', filters: { media_type: 'image' } })
    const [image] = body.data.results
    expect(image.cross_modal_connections[0]).toMatchObject({
      target_id: expect.stringMatching(/^mdl_/),
      source_modality: 'image',
      target_modality: 'model',
      symbol: '↔',
    })
    expect(image.cross_modal_connections[0].relationship_type).toContain('sample')
  })

  test('refused requests cost nothing', async () => {
    const before = await balance()
    expectStatus(await advanced({ collections: 'nowhere' }), 404)
    expectStatus(await advanced({ config: { context_depth: 9 } }), 400)
    expect(await balance()).toBe(before)
  })
})

describe('similar items', () => {
  test('are found by either id, in named clusters, for one price', async () => {
    const before = await balance()
    const answer = await similar({ cluster: true, include_reference: true })
    expectStatus(answer, 200)
    const { data } = answer.body
    expect(names(answer).slice(0, 2)).toEqual(['apollo.txt', 'armstrong.txt'])
    expect(data.results[0]).toMatchObject({ score: 1, similarity_percentage: '100.0%' })
    const { clusters, metadata } = data.relationships.clusters
    const shown = data.results.map((result: { media_id: string }) => result.media_id)
    const members = Object.values<string[]>(clusters).flat()
    expect(members).toHaveLength(shown.length)
    expect(new Set(members)).toEqual(new Set(shown))
    expect(Object.keys(metadata)).toEqual(Object.keys(clusters))
    const vector = ids.get('apollo.txt')!.replace('doc_', 'vec-')
    const same = await similar({ media_id: vector })
    expect(names(same)).toEqual(names(answer).slice(1))
    expect(same.body.data.meta.reference_item.media_id).toBe(ids.get('apollo.txt'))
    expect(await balance()).toBe(before - 2 * nano(0.01))
  })

  test('count the reference where it was asked for', async () => {
    const [without, among] = [
      await similar({ max_results: 1 }),
      await similar({ max_results: 1, include_reference: true }),
    ]
    expect([names(without), names(among)]).toEqual([['armstrong.txt'], ['apollo.txt']])
    const { total_results: others } = without.body.data.meta.stats
    expect(among.body.data.meta.stats.total_results).toBe(others + 1)
  })

  test('a reference that is not there costs nothing', async () => {
    const before = await balance()
    const id = ids.get('apollo.txt')!
    for (const media_id of [id.replace('doc_', 'img_'), 'vec-nonsense', `doc_${crypto.randomUUID()}`])
      expectStatus(await similar({ media_id }), 404)
    expectStatus(await similar({ collections: ['nowhere'] }), 404)
    expect(await balance()).toBe(before)
  })
})

test('a key answers the same again for free, until an item it spoke of is gone', async () => {
  const own = await server.openAccount(1)
  await upload(own.client)
  const keyed = (path: string, json: object, key: string) =>
    ask(path, json, { 'idempotency-key': key }, own.client)
  const search = { query: 'landing on the moon', type: 'advanced', config: { context_depth: 2 } }
  const apollo = (await ask('/v1/search', { query: 'apollo' }, {}, own.client)).body.data.results[0].media_id
  const like = { media_id: apollo, cluster: true }
  const first = [await keyed('/v1/search', search, 'a'), await keyed('/v1/search/similar', like, 'b')]
  const spent = await balance(own.client)
  const second = [await keyed('/v1/search', search, 'a'), await keyed('/v1/search/similar', like, 'b')]
  expect(second.map(({ body }) => body)).toEqual(first.map(({ body }) => body))
  expect(second.map(({ headers }) => headers.get('idempotency-replayed'))).toEqual(['true', 'true'])
  expect(await balance(own.client)).toBe(spent)
  expectStatus(await keyed('/v1/search', { ...search, max_results: 3 }, 'a'), 422)
  await own.client.request('DELETE', `/v1/media/${apollo}`)
  for (const gone of [await keyed('/v1/search', search, 'a'), await keyed('/v1/search/similar', like, 'b')])
    expect([gone.status, gone.body.error.code]).toEqual([410, 'GONE'])
  expect(await balance(own.client)).toBe(spent)
}, 120_000)

test('too little money is 402, a suspended account 403, and basic search is free for both', async () => {
  const poor = await server.openAccount(0.02)
  const deep = { config: { context_depth: 2 } }
  const refused = await advanced(deep, {}, poor.client)
  expect([refused.status, refused.body.error.code]).toEqual([402, 'INSUFFICIENT_FUNDS'])
  expect(refused.body.error.details).toMatchObject({ required_amount: 0.03, current_balance: 0.02 })
  await server.operator.request('PUT', `/admin/accounts/${poor.accountId}/state`, {
    json: { state: 'suspended' },
  })
  const suspended = await advanced({}, {}, poor.client)
  expect([suspended.status, suspended.body.error.code]).toEqual([403, 'ACCOUNT_SUSPENDED'])
  expectStatus(await ask('/v1/search', { query: 'moon' }, {}, poor.client), 200)
  expect(await balance(poor.client)).toBe(nano(0.02))
})

test('another account with the same files changes no score, connection or cluster', async () => {
  const strip = ({ body }: Answer) => {
    const { query_time_ms: _, time_ms: __, ...stats } = body.data.meta.stats
    return { ...body.data, meta: { ...body.data.meta, stats } }
  }
  const [search, like] = [{ config: { context_depth: 3 } }, { cluster: true }]
  const before = [strip(await advanced(search)), strip(await similar(like))]
  const other = await server.openAccount(1)
  for (const [name, text] of Object.entries(FILES)) await other.client.upload(name, text)
  const others = await advanced(search, {}, other.client)
  expect(names(others)[0]).toBe('apollo.txt')
  const own = new Set(before[0].results.map((result: { media_id: string }) => result.media_id))
  for (const { media_id } of others.body.data.results) expect(own.has(media_id)).toBe(false)
  expect([strip(await advanced(search)), strip(await similar(like))]).toEqual(before)
}, 120_000)
