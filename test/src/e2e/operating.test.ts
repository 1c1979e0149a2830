import { READ_MODELS } from '@medialog/application'
import { describe, expect, test } from 'vitest'
import { endedBatch, resultsOf } from '../harness/batches.ts'
import { asAccount, connect } from '../harness/client.ts'
import { moment } from '../harness/moment.ts'
import { operated } from '../harness/operations.ts'
import { useServer } from '../harness/suite.ts'
import { exportedMetrics, metricOfSeries, metricsOf } from '../infra/promql.ts'
import { queries, recorded } from '../infra/watched.ts'
import { expectStatus } from '../harness/expect-status.ts'

const server = useServer()

describe('credits', () => {
  test('the same reference credits once', async () => {
    const path = `/admin/accounts/${(await server.openAccount(1)).accountId}/credits`
    const json = { amount: 5, reference: 'invoice 17' }
    for (let n = 0; n < 3; n++)
      expect((await server.operator.request('POST', path, { json })).body.data.balance).toBe(6)
  })

  test('the same reference never credits another amount', async () => {
    const path = `/admin/accounts/${(await server.openAccount(1)).accountId}/credits`
    const credit = (amount: number) =>
      server.operator.request('POST', path, { json: { amount, reference: 'invoice 18' } })
    expectStatus(await credit(5), 200)
    const other = await credit(7)
    expect([other.status, other.body.error.code]).toEqual([409, 'CREDIT_REFERENCE_REUSED'])
    expect(other.body.error.details).toMatchObject({ credited_amount: 5, amount: 7 })
    expect((await credit(5)).body.data.balance).toBe(6)
  })

  test('the same Idempotency-Key answers a repeat, and refuses another amount', async () => {
    const path = `/admin/accounts/${(await server.openAccount(1)).accountId}/credits`
    const headers = { 'idempotency-key': 'credit-1' }
    const first = await server.operator.request('POST', path, { json: { amount: 2.5 }, headers })
    const again = await server.operator.request('POST', path, { json: { amount: 2.5 }, headers })
    expect([first.body.data.balance, again.body.data.balance]).toEqual([3.5, 3.5])
    expect(again.headers.get('idempotency-replayed')).toBe('true')
    const other = await server.operator.request('POST', path, { json: { amount: 3 }, headers })
    expect([other.status, other.body.error.code]).toEqual([422, 'IDEMPOTENCY_KEY_REUSED'])
  })
})

describe('amounts', () => {
  const post = async (accountId: string, amount: string) => {
    const response = await fetch(`${server.running.url}/admin/accounts/${accountId}/credits`, {
      method: 'POST',
      headers: {
        'x-operator-token': server.running.operatorToken,
        'content-type': 'application/json',
      },
      body: `{"amount":${amount}}`,
    })
    return { status: response.status, text: await response.text() }
  }

  test.each(['100000000.123456789', '"100000000.123456789"'])(
    'are exact in and out, beyond what a double holds: %s',
    async (amount) => {
      const { accountId, apiKey } = await server.openAccount(0)
      expect((await post(accountId, amount)).text).toContain('"balance":100000000.123456789}')
      const read = async (path: string) =>
        (await fetch(server.running.url + path, { headers: { 'x-api-key': apiKey } })).text()
      expect(await read('/v1/usage?detailed=true')).toContain('"balance":100000000.123456789,')
      expect(await read('/v1/audit/ledger')).toContain('"balance":100000000.123456789,')
    },
  )

  test.each([
    ['0.12345678901234567', 'with at most nine decimals'],
    ['1e9', null],
    ['1000000000.000000001', 'from 0 to 1000000000'],
    ['1.00000000012345678e8', 'with at most nine decimals'],
    ['"1e3"', 'with at most nine decimals'],
    ['"-1"', 'from 0 to'],
    ['"0.0"', 'must be more than 0'],
    ['" 1"', 'must be an amount of USD'],
    ['null', 'must be an amount of USD'],
    ['"２5"', 'must be an amount of USD'],
  ])('of %s are held exactly, or refused', async (amount, reason) => {
    const { accountId } = await server.openAccount(0)
    const { status, text } = await post(accountId, amount)
    expect([status, text]).toEqual(
      reason === null
        ? [200, expect.stringContaining('"balance":1000000000}')]
        : [400, expect.stringContaining(reason)],
    )
  })
})

describe('usage of the past', () => {
  test('is as it was then, whatever came after', async () => {
    const before = await moment()
    const { accountId, client } = await server.openAccount(1)
    const usage = async (query: string) =>
      (await client.request('GET', `/v1/usage?detailed=true${query}`)).body
    await client.upload('first.txt', 'The ferry to Grímsey leaves in the morning.')
    const { data: whole } = await usage('')
    const then = await moment()
    await client.upload('second.txt', 'The ferry to Grímsey comes back in the evening.')
    const account = `/admin/accounts/${accountId}`
    await server.operator.request('PUT', `${account}/tier`, { json: { tier: 'enterprise' } })
    await server.operator.request('PUT', `${account}/state`, { json: { state: 'suspended' } })
    await server.operator.request('POST', `${account}/credits`, { json: { amount: 5 } })

    expect((await usage('')).data.account_info).toMatchObject({
      balance: 5.92,
      tier: 'enterprise',
      payment_status: 'suspended',
    })
    const { data, metadata } = await usage(`&as_of=${then}`)
    const { vectors: _, size_gb: __, quota_used_percent: ___, ...quota } = whole.storage_usage.total
    expect(data).toEqual({ ...whole, storage_usage: { total: quota } })
    expect(data.account_info).toMatchObject({ balance: 0.96, tier: 'standard', payment_status: 'active' })
    const week = 7 * 24 * 60 * 60 * 1000
    expect(metadata).toMatchObject({
      as_of: then,
      time_range: { start: new Date(Date.parse(then) - week).toISOString(), end: then },
    })
    // A posting of that very moment is in the balance, and in what was spent.
    const [charge] = whole.detailed_metrics.recent_transactions
    expect((await usage(`&as_of=${charge.timestamp}`)).data).toMatchObject({
      account_info: { balance: 0.96 },
      billing_summary: whole.billing_summary,
    })
    expect(await usage(`&as_of=${before}`)).toMatchObject({ code: 'resource_not_found', status_code: 404 })
    const { data: ahead } = await usage('&as_of=2999-01-01')
    expect(ahead.account_info).toMatchObject({ balance: 5.92, tier: 'enterprise' })
  })
})

describe('keys', () => {
  test('a revoked key is refused with the next request, a rotated one after its grace', async () => {
    const { accountId: account } = await server.openAccount(1)
    const { body: issued } = await server.operator.request('POST', `/admin/accounts/${account}/keys`, {
      json: {},
    })
    const { key_id: keyId, api_key: oldKey } = issued.data
    const status = async (key: string) =>
      (await asAccount(server.running.url, key).request('GET', '/v1/usage')).status
    const rotate = `/admin/accounts/${account}/keys/${keyId}/rotate`
    const { body: graceful } = await server.operator.request('POST', rotate, { json: { grace_seconds: 60 } })
    expect([await status(oldKey), await status(graceful.data.api_key)]).toEqual([200, 200])
    const { body: atOnce } = await server.operator.request('POST', rotate, { json: {} })
    expect([await status(graceful.data.api_key), await status(atOnce.data.api_key)]).toEqual([401, 200])
    const { body: shown } = await asAccount(server.running.url, atOnce.data.api_key).request(
      'GET',
      '/v1/keys',
    )
    expect(shown.data.keys).toMatchObject([
      { is_used: false },
      { key_id: keyId, is_used: true, revoked: false },
    ])
    expect(JSON.stringify(shown)).not.toContain(atOnce.data.api_key.split('_')[2])
    await server.operator.request('DELETE', `/admin/accounts/${account}/keys/${keyId}`)
    expect(await status(atOnce.data.api_key)).toBe(401)
  })

  test('none is issued that has expired already', async () => {
    const { accountId: account } = await server.openAccount(1)
    const issue = (at: number) =>
      server.operator.request('POST', `/admin/accounts/${account}/keys`, {
        json: { expires_at: new Date(at).toISOString() },
      })
    const past = await issue(Date.now() - 1000)
    expect([past.status, past.body.error.code]).toEqual([400, 'VALIDATION_ERROR'])
    expect(past.body.error.details.parameter).toBe('expires_at')
    const future = await issue(Date.now() + 3_600_000)
    expect(
      (await asAccount(server.running.url, future.body.data.api_key).request('GET', '/v1/usage')).status,
    ).toBe(200)
  })

  test('a suspended account reads and deletes, but pays for nothing', async () => {
    const { accountId: account, client } = await server.openAccount(1)
    const { body: uploaded } = await client.upload('before.txt', 'Stored before the account was suspended.')
    await server.operator.request('PUT', `/admin/accounts/${account}/state`, { json: { state: 'suspended' } })
    const refused = await client.upload('after.txt', 'Sent after the account was suspended.')
    // Nothing would be charged, but what it writes stays.
    const again = { filename: 'again.txt', bytes: 'Stored before the account was suspended.' }
    const batch = await client.batch([again])
    expect([batch.status, batch.body.error.code]).toEqual([403, 'account_suspended'])
    expect([refused.status, refused.body.error.code]).toEqual([403, 'ACCOUNT_SUSPENDED'])
    expect((await client.request('GET', '/v1/media')).body.data.pagination.total_items).toBe(1)
    expectStatus(await client.request('DELETE', `/v1/media/${uploaded.data.media_id}`), 200)
  })
})

test.each([
  ['start_time=2999-01-01', 'the default end'],
  ['end_time=2026-11-19&start_time=2026-11-20', 'the end that is given'],
])('usage refuses a start after its end: %s, after %s', async (query) => {
  const { status, body } = await server.client.request('GET', `/v1/usage?${query}`)
  expect([status, body.code, body.details.parameter]).toEqual([400, 'validation_error', 'start_time'])
  expect(body.message).toBe('start_time must not be after end_time.')
})

test('every read model is verified and rebuilt while it serves', async () => {
  const { client } = server
  for (let n = 0; n < 5; n++) await client.upload(`verified-${n}.txt`, `Verified text number ${n}.`)
  for (const name of READ_MODELS)
    for (const kind of ['projections-verify', 'projections-rebuild']) {
      const { result } = await operated(server.operator, { kind, name })
      expect(result).toMatchObject({
        read_model: name,
        identical: true,
        swapped: kind === 'projections-rebuild',
      })
      const { body } = await client.request('POST', '/v1/search', {
        json: { query: 'verified text number 3' },
      })
      expect(body.data.results[0].metadata.file_info.filename).toBe('verified-3.txt')
    }
})

test('batches rebuild to the same after their items were erased, without the names of these', async () => {
  const { client } = await server.openAccount(1)
  const { body } = await client.batch([
    { filename: 'erased.txt', bytes: 'What the batch brought in and nobody shall read again.' },
    { filename: 'again.txt', bytes: 'What the batch brought in and nobody shall read again.' },
    { filename: 'kept.txt', bytes: 'What the batch brought in and everybody shall read again.' },
    { filename: 'failed.pdf', bytes: '%PDF-1.4 broken' },
  ])
  const { results } = await endedBatch(client, body.data.batch_id)
  const [{ media_id: item }] = results.job_results
  expectStatus(await client.request('DELETE', `/v1/media/${item}`), 200)
  const scraper = connect(server.running.url, { authorization: `Bearer ${server.running.operatorToken}` })
  await expect
    .poll(async () => (await scraper.request('GET', '/metrics')).body, { timeout: 60_000 })
    .toMatch(/^medialog_erasures_pending 0$/m)
  expect(await operated(server.operator, { kind: 'projections-verify', name: 'batches' })).toMatchObject({
    result: { identical: true },
  })
  const named = (await resultsOf(client, body.data.batch_id)).job_results
  expect(named.map(({ filename }: { filename?: string }) => filename)).toEqual([
    undefined,
    undefined,
    'kept.txt',
    'failed.pdf',
  ])
  const { filename: _1, ...first } = results.job_results[0]
  expect(named[0]).toEqual(first)
  expect(named.slice(2)).toEqual(results.job_results.slice(2))
})

test('every metric that alerts and dashboard ask for is there', async () => {
  const scraper = connect(server.running.url, { authorization: `Bearer ${server.running.operatorToken}` })
  const { status, body } = await scraper.request('GET', '/metrics')
  expect(status).toBe(200)
  const exported = exportedMetrics(body)
  // Prometheus' own, and those that rules record.
  for (const name of ['up', 'ALERTS', ...recorded()]) exported.add(name)
  for (const { where, query } of queries())
    for (const series of metricsOf(query)) expect(metricOfSeries(series, exported), where).toBeDefined()
  expect(metricOfSeries('medialog_no_such_bucket', exported)).toBeUndefined()
  expectStatus(await connect(server.running.url, {}).request('GET', '/metrics'), 401)
})
