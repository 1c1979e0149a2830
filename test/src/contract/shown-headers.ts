import { expect } from 'vitest'
import { endedBatch, nano } from '../harness/batches.ts'
import type { Answer } from '../harness/client.ts'
import { analyze, plain } from './plain-requests.ts'
import { shown, taken, type Shown } from './shown-limits.ts'
import type { HEADERS, PRICES } from './specification.ts'
import { note, type Served, type Subject } from './served.ts'
import { expectStatus } from '../harness/expect-status.ts'

const list = ({ main }: Served, headers: Record<string, string> = {}) =>
  main.client.request('GET', '/v1/media', { headers })

export const SHOWN_HEADERS: Record<(typeof HEADERS)[number], Shown> = {
  'X-Request-Id: on every answer, made here': shown('two answers, one a refusal', async (served) => {
    const ids = [
      await list(served, { 'x-request-id': 'mine' }),
      await served.as({}).request('GET', '/v1/media'),
    ].map(({ headers }) => headers.get('x-request-id'))
    for (const id of ids) expect(id).toMatch(/^req_[0-9a-f-]{36}$/)
    expect(new Set(ids).size).toBe(2)
  }),
  'X-Correlation-Id: the caller’s X-Request-Id': shown('a request with one, one without', async (served) => {
    expect((await list(served, { 'x-request-id': 'mine-7' })).headers.get('x-correlation-id')).toBe('mine-7')
    expect((await list(served)).headers.get('x-correlation-id')).toBeNull()
  }),
  'X-RateLimit-Limit, -Remaining, -Reset: on every answer to a valid key': shown(
    'a success and a refusal',
    async (served) => {
      for (const { headers } of [
        await list(served),
        await served.main.client.request('GET', '/v1/media?page=0'),
      ]) {
        expect(Number(headers.get('x-ratelimit-limit'))).toBe(6000)
        expect(Number(headers.get('x-ratelimit-remaining'))).toBeLessThan(6000)
        expect(Number(headers.get('x-ratelimit-reset'))).toBeLessThanOrEqual(60)
      }
    },
  ),
  'Retry-After: on 429': shown('a key over its rate', async (served) => {
    const { status, headers } = await (await served.exhausted()).request('GET', '/v1/media')
    expect([status, /^[1-9]\d*$/.test(headers.get('retry-after') ?? '')]).toEqual([429, true])
  }),
  'Retry-After: on 503': shown('a critical status', (served) =>
    served.faults.during(
      'eventStore.trouble',
      () => 'a fault of this test',
      async () => {
        const { status, headers } = await served.main.client.request('GET', '/v1/status')
        expect([status, /^[1-9]\d*$/.test(headers.get('retry-after') ?? '')]).toEqual([503, true])
      },
    ),
  ),
  'X-Position: on every answer to a valid key': shown('a success and a refusal', async (served) => {
    for (const { headers } of [
      await list(served),
      await served.main.client.request('GET', '/v1/media?page=0'),
    ])
      expect(headers.get('x-position')).toMatch(/\S{20,}/)
  }),
  'X-Min-Position: a read waits for it': shown(
    'its own position taken, another account’s refused',
    async (served) => {
      const own = (await list(served)).headers.get('x-position')!
      await taken(list(served, { 'x-min-position': own }))
      const other = (await served.poor.client.request('GET', '/v1/media')).headers.get('x-position')!
      expectStatus(await list(served, { 'x-min-position': other }), 400)
    },
  ),
  'Idempotency-Replayed: on a repeat': shown('the same request twice', async ({ main }) => {
    const headers = { 'idempotency-key': 'replayed' }
    const replayed = async () =>
      (await plain('findSimilar')(main.client, main, headers)).headers.get('idempotency-replayed')
    expect([await replayed(), await replayed()]).toEqual([null, 'true'])
  }),
  'Allow: on 405': shown('PATCH of the list', async ({ main }) => {
    const { headers } = await main.client.request('PATCH', '/v1/media')
    expect(headers.get('allow')!.split(', ')).toEqual(expect.arrayContaining(['GET', 'POST']))
  }),
  'unknown path: 404 NOT_FOUND': shown('without a key', async ({ as }) => {
    const { status, body } = await as({}).request('GET', '/v1/nowhere')
    expect([status, body.success, body.error.code]).toEqual([404, false, 'NOT_FOUND'])
  }),
  'wrong method: 405 METHOD_NOT_ALLOWED': shown('without a key', async ({ as }) => {
    const { status, body } = await as({}).request('PATCH', '/v1/media')
    expect([status, body.success, body.error.code]).toEqual([405, false, 'METHOD_NOT_ALLOWED'])
  }),
  'X-Operator-Token: the operator’s side': shown('an API key does not open it', async ({ main }) => {
    expectStatus(await main.client.request('GET', '/admin/accounts'), 401)
  }),
}

/** What a request costs: the balance before it and after. */
const costs = (how: string, usd: number, request: (subject: Subject) => Promise<Answer>): Shown =>
  shown(how, async (served) => {
    const subject = await served.subject(1)
    const before = await balance(subject)
    await taken(request(subject))
    expect(before - (await balance(subject))).toBe(nano(usd))
  })

async function balance({ client }: Subject): Promise<number> {
  return nano((await client.request('GET', '/v1/usage')).body.data.account_info.balance)
}

export const SHOWN_PRICES: Record<(typeof PRICES)[number], Shown> = {
  'upload: 0.04': costs('a text', 0.04, (subject) => plain('uploadMedia')(subject.client, subject)),
  'duplicate in a batch: free': shown('a batch of what is stored', async ({ main }) => {
    const bytes = note()
    await main.client.upload('stored.txt', bytes)
    const { data } = await taken(main.client.batch([{ filename: 'again.txt', bytes }]))
    expect((await endedBatch(main.client, data.batch_id)).batch.cost).toEqual({
      charged: 0,
      refunded: 0,
      net: 0,
    })
  }),
  'AI query: 0.01': costs('a question about an item', 0.01, (subject) =>
    plain('ask')(subject.client, subject),
  ),
  'AI query of more than 10 000 tokens: 0.10 per million of input besides': shown(
    'query and context of 10 001 tokens in an empty library',
    async (served) => {
      const { client } = await served.openAccount(1)
      const { data } = await taken(
        client.request('POST', '/v1/ai/query', {
          json: { query: 'wind', context: 'wind '.repeat(10_000) },
        }),
      )
      expect([data.billing.total_cost, data.billing.pricing_tier]).toEqual([0.0110001, 'standard'])
    },
  ),
  'media analysis: 0.03': costs('a text', 0.03, ({ client }) => analyze(client, { query: 'What is it?' })),
  'basic search: free': costs('a basic search', 0, ({ client }) =>
    client.request('POST', '/v1/search', { json: { query: 'ferry' } }),
  ),
  'advanced search: 0.01 and 0.01 per depth level reached': shown(
    '`context_depth` 0 and 5',
    async (served) => {
      const subject = await served.subject(1)
      for (const context_depth of [0, 5]) {
        const before = await balance(subject)
        const { data } = await taken(
          subject.client.request('POST', '/v1/search', {
            json: { query: 'ferry', type: 'advanced', collections: 'all', config: { context_depth } },
          }),
        )
        const { depth_reached: depth, amount } = data.meta.cost
        expect(depth).toBeLessThanOrEqual(context_depth)
        expect(nano(amount)).toBe(nano(0.01) * (1 + depth))
        expect(before - (await balance(subject))).toBe(nano(amount))
      }
    },
  ),
  'similarity search: 0.01': costs('of one item', 0.01, (subject) =>
    plain('findSimilar')(subject.client, subject),
  ),
}
