import { beforeAll, describe, expect, test } from 'vitest'
import type { Client } from '../../harness/client.ts'
import type { TestServer } from '../../harness/suite.ts'
import { analyze, ask, fixture, spent } from './asking.ts'
import { expectStatus } from '../../harness/expect-status.ts'

const vectorIdOf = (id: string): string => `vec-${id.slice(id.indexOf('_') + 1)}`

/** Questions about what is stored, analyses of what is not, and what they cost. */
export function describeAi(server: TestServer): void {
  let bridge = ''
  let whales = ''
  let client: Client
  beforeAll(async () => {
    ;({ client } = await server.openAccount(10))
    for (const name of ['galloping-gertie.txt', 'whales-asleep.md', 'kimchi.txt'])
      await client.upload(name, await fixture(`demo/${name}`), {
        collection_id: name.startsWith('kimchi') ? 'food' : 'default',
      })
    const { items } = (await client.request('GET', '/v1/media')).body.data
    const idOf = (name: string): string =>
      items.find((item: { file_info: { filename: string } }) => item.file_info.filename === name).media_id
    bridge = idOf('galloping-gertie.txt')
    whales = idOf('whales-asleep.md')
  })

  describe('a question', () => {
    test('about an item is answered from its passages alone, for one cent', async () => {
      const before = await spent(client)
      const { status, body } = await ask(client, {
        query: 'How fast was the wind when the bridge collapsed?',
        media_id: vectorIdOf(bridge),
      })
      expect(status).toBe(200)
      expect(body.data.response).toContain('about forty miles an hour')
      expect(body.data.sources.length).toBeGreaterThan(0)
      for (const source of body.data.sources) {
        expect(source).toMatchObject({ media_id: bridge, revision: 1 })
        expect(body.data.response).toMatch(/\[1\]/)
      }
      expect(body.data.media_context).toMatchObject({ media_id: bridge, collection: 'default' })
      expect(body.data.billing).toMatchObject({ total_cost: 0.01, token_charges: 0, pricing_tier: 'minimum' })
      const after = await spent(client)
      expect(after.balance).toBeCloseTo(before.balance - 0.01, 9)
      expect(after.costs['RAG_QUERY']).toBe(0.01)

      const other = await ask(client, {
        query: 'How fast was the wind when the bridge collapsed?',
        media_id: vectorIdOf(whales),
      })
      expect(other.body.data.sources).toEqual([])
      expect(other.body.data.response).toBe('The material holds no answer to this question.')
    })

    test('about nothing in particular is answered from all collections of the account', async () => {
      const { body } = await ask(client, { query: 'How many cloves of garlic go into kimchi?' })
      expect(body.data.response).toContain('six cloves of garlic')
      expect(body.data).not.toHaveProperty('media_context')
      expect((await spent(client)).costs['LLM_QUERY_']).toBeGreaterThan(0)
    })

    test('of another account finds neither the item nor its passages', async () => {
      const { client } = await server.openAccount(1)
      expect(await ask(client, { query: 'q', media_id: vectorIdOf(bridge) })).toMatchObject({ status: 404 })
      const { body } = await ask(client, { query: 'How many cloves of garlic go into kimchi?' })
      expect(body.data.sources).toEqual([])
      expect(JSON.stringify(body)).not.toContain('six cloves')
      expect((await spent(client)).balance).toBeCloseTo(0.99, 9)
    })

    test('of many tokens is charged for them, of too many is refused for free', async () => {
      const { client } = await server.openAccount(1)
      const { body } = await ask(client, {
        query: 'wind',
        context: 'wind '.repeat(10_000),
        max_tokens: 4096,
      })
      expect(body.data.billing).toMatchObject({
        total_cost: 0.0110001,
        base_fee: 0.01,
        token_charges: 0.0010001,
        pricing_tier: 'standard',
      })
      expect((await spent(client)).balance).toBe(0.9889999)
      const refused = await ask(client, { query: 'q', context: 'wind '.repeat(100_000) })
      expect(refused).toMatchObject({ status: 400, body: { error: { code: 'INPUT_TOO_LARGE' } } })
      expect((await spent(client)).balance).toBe(0.9889999)
    })

    test('is refused where there is no money, or the account is suspended', async () => {
      const poor = await server.openAccount(0)
      expect(await ask(poor.client, { query: 'q' })).toMatchObject({
        status: 402,
        body: { error: { code: 'INSUFFICIENT_FUNDS', details: { shortfall: 0.01 } } },
      })
      const { accountId, client } = await server.openAccount(1)
      await server.operator.request('PUT', `/admin/accounts/${accountId}/state`, {
        json: { state: 'suspended' },
      })
      for (const answer of [
        await ask(client, { query: 'q' }),
        await analyze(client, 'a.txt', 'wind', { query: 'q' }),
      ])
        expect(answer).toMatchObject({ status: 403, body: { error: { code: 'ACCOUNT_SUSPENDED' } } })
      expect((await spent(client)).balance).toBe(1)
    })

    test('in a stream has the same answer as without', async () => {
      const question = { query: 'When did the Tacoma Narrows Bridge open?', media_id: vectorIdOf(bridge) }
      const { body: plain } = await ask(client, question)
      const { headers, body } = await ask(client, { ...question, stream: true })
      expect(headers.get('content-type')).toContain('text/event-stream')
      const events = (body as string)
        .split('\n\n')
        .filter((block) => block.startsWith('event: '))
        .map((block) => ({
          name: block.slice('event: '.length, block.indexOf('\n')),
          data: JSON.parse(block.slice(block.indexOf('data: ') + 6)),
        }))
      const text = events.filter(({ name }) => name === 'delta').map(({ data }) => data.text)
      expect(text.join('')).toBe(plain.data.response)
      const [sources, billing, done] = events.slice(-3)
      expect(sources).toEqual({ name: 'sources', data: { sources: plain.data.sources } })
      expect(billing).toMatchObject({ name: 'billing', data: { total_cost: 0.01 } })
      expect(done).toMatchObject({ name: 'done', data: { media_context: plain.data.media_context } })
    })

    test('sent again under its Idempotency-Key has the same answer for free, until an item is gone', async () => {
      const { client } = await server.openAccount(1)
      const uploaded = await client.upload('gertie.txt', await fixture('demo/galloping-gertie.txt'))
      const id: string = uploaded.body.data.media_id
      const grounded = { query: 'When did the bridge open?', media_id: vectorIdOf(id) }
      const free = { query: 'When did the bridge open?' }
      const key = (name: string) => ({ 'idempotency-key': name })
      const first = [await ask(client, grounded, key('a')), await ask(client, free, key('b'))]
      const { balance } = await spent(client)
      const again = [await ask(client, grounded, key('a')), await ask(client, free, key('b'))]
      for (const [i, { status, headers, body }] of again.entries()) {
        expect(status).toBe(200)
        expect(headers.get('idempotency-replayed')).toBe('true')
        expect(body).toEqual(first[i]!.body)
        expect(body.data.response).toContain('1 July 1940')
      }
      const streamed = await ask(client, { ...grounded, stream: true }, key('a'))
      expect(streamed.headers.get('idempotency-replayed')).toBe('true')
      expect((await spent(client)).balance).toBe(balance)
      expectStatus(await ask(client, { query: 'Another?' }, key('a')), 422)
      await client.request('DELETE', `/v1/media/${id}`)
      expectStatus(await ask(client, grounded, key('a')), 410)
      expectStatus(await ask(client, free, key('b')), 410)
      expect((await spent(client)).balance).toBe(balance)
    })
  })

  test('an analysis costs three cents, refunded when the file cannot be read', async () => {
    const { client } = await server.openAccount(0.05)
    const locked = await analyze(
      client,
      'a.pdf',
      new Uint8Array(await fixture('hostile/encrypted_user.pdf')),
      { query: 'q' },
    )
    expect(locked).toMatchObject({ status: 400, body: { error: { code: 'ENCRYPTED_FILE' } } })
    expect((await spent(client)).balance).toBe(0.05)
    const { body } = await analyze(client, 'sample.jpg', new Uint8Array(await fixture('images/sample.jpg')), {
      query: 'What is in the picture?',
      response_format: 'json',
    })
    expect(body.data).toMatchObject({
      media_info: { filename: 'sample.jpg', format: 'jpg', media_type: 'image' },
      processing_info: { status: 'success', cost: 0.03, balance: 0.02 },
      response: { content: { analysis: body.data.analysis, answer: body.data.answer } },
    })
    expect(await spent(client)).toMatchObject({ balance: 0.02, costs: { MEDIA_ANALYSIS: 0.03 } })
    const poor = await analyze(client, 'a.txt', 'wind', { query: 'q' })
    expect(poor).toMatchObject({ status: 402, body: { error: { code: 'INSUFFICIENT_FUNDS' } } })
    expect(await server.staged()).toEqual([])
  })
}
