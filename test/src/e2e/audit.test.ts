import { execFile } from 'node:child_process'
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, test, vi } from 'vitest'
import { endedBatch } from '../harness/batches.ts'
import { medialog } from '../harness/cli.ts'
import { asAccount, connect, type Client } from '../harness/client.ts'
import { useServer } from '../harness/suite.ts'
import { expectStatus } from '../harness/expect-status.ts'

vi.setConfig({ testTimeout: 240_000 })
const server = useServer()

/** An account that paid for an upload, a batch of which one file is broken, and a search that reached nothing. */
async function spender(): Promise<{ accountId: string; client: Client; batch: string }> {
  const { accountId, client } = await server.openAccount(1)
  expectStatus(await client.upload('ferry.txt', 'The ferry to Grímsey leaves at nine.'), 200)
  const { body } = await client.batch([
    { filename: 'bread.txt', bytes: 'Rye bread with caraway needs a day.' },
    { filename: 'broken.png', bytes: Buffer.from('\x89PNG\r\n\x1a\nand then nothing', 'latin1') },
  ])
  await endedBatch(client, body.data.batch_id)
  const json = { query: 'when does the ferry leave', type: 'advanced', config: { context_depth: 3 } }
  expectStatus(await client.request('POST', '/v1/search', { json }), 200)
  return { accountId, client, batch: body.data.batch_id }
}

test('the ledger is told from its events, proven, and nobody else’s', async () => {
  const { accountId, client, batch } = await spender()
  const { body } = await client.request('GET', '/v1/audit/ledger')
  const { postings, proof, closing_balance: balance, costs } = body.data
  expect(proof.lines.filter(({ holds }: { holds: boolean }) => !holds)).toEqual([])
  expect(proof.holds).toBe(true)
  expect(
    postings.map(
      ({ kind, amount, cause }: { kind: string; amount: number; cause: Record<string, unknown> }) => [
        kind,
        amount,
        cause['operation'],
        cause['filename'],
        cause['batch_id'],
      ],
    ),
  ).toEqual([
    ['credit', 1, undefined, undefined, undefined],
    ['charge', -0.04, 'upload', 'ferry.txt', undefined],
    ['charge', -0.08, 'batch', undefined, batch],
    ['refund', 0.04, 'batch', 'broken.png', batch],
    ['charge', -0.04, 'search', undefined, undefined],
    ['refund', expect.any(Number), 'search', undefined, undefined],
  ])
  const { body: usage } = await client.request('GET', '/v1/usage')
  expect([balance, costs]).toEqual([usage.data.account_info.balance, usage.data.billing_summary.usage_costs])
  expect(JSON.stringify(body)).not.toContain('"position"')

  const theirs = await medialog(server.running, 'audit', 'replay', accountId)
  expect(theirs).toMatchObject({ code: 0, answer: { closing_balance: balance, proof: { holds: true } } })
  expect(theirs.answer.postings[0].position).toEqual(expect.any(Number))
  const { client: other, accountId: another } = await server.openAccount(2)
  const { body: own } = await other.request('GET', '/v1/audit/ledger')
  expect(own.data).toMatchObject({ account_id: another, closing_balance: 2, pagination: { total_items: 1 } })
  expectStatus(await other.request('GET', `/v1/audit/ledger?account_id=${accountId}`), 400)
  expectStatus(await other.request('GET', `/admin/accounts/${accountId}/ledger`), 401)
  const { body: key } = await server.operator.request('POST', `/admin/accounts/${accountId}/keys`, {
    json: { capabilities: ['write', 'delete'] },
  })
  const blind = asAccount(server.running.url, key.data.api_key)
  for (const path of ['audit/ledger', 'audit/statement', 'usage/diff'])
    expectStatus(await blind.request('GET', `/v1/${path}`), 403)
})

test('the statement of a month is not final while it lasts', async () => {
  const { client } = await server.openAccount(1)
  await client.upload('a.txt', 'Billed this month.')
  const { body } = await client.request('GET', '/v1/audit/statement')
  expect(body.data).toMatchObject({ final: false, credited: '1', charged: '0.04', closing_balance: '0.96' })
  expect(body.data.postings.map(({ kind }: { kind: string }) => kind)).toEqual(['credit', 'charge'])
})

test('the ledger is as it was then', async () => {
  const { client } = await server.openAccount(1)
  const after = async (work: () => Promise<unknown>): Promise<string> => {
    await work()
    const at = Date.now() + 1
    await expect.poll(() => Date.now()).toBeGreaterThan(at)
    return new Date(at).toISOString()
  }
  const first = await after(() => client.upload('a.txt', 'What was there first.'))
  await after(() => client.upload('b.txt', 'What came after it.'))
  const { body } = await client.request('GET', `/v1/audit/ledger?as_of=${first}`)
  expect(body.data).toMatchObject({ closing_balance: 0.96, proof: { holds: true } })
  expect(body.data.postings).toHaveLength(2)
  const { body: usage } = await client.request('GET', `/v1/usage?as_of=${first}`)
  expect(usage.data.account_info.balance).toBe(0.96)
  const { body: diff } = await client.request('GET', `/v1/usage/diff?from=${first}`)
  expect(diff.data).toMatchObject({
    from: { balance: 0.96, usage_costs: { DOCUMENT_PROCESSING: 0.03 } },
    to: { balance: 0.92 },
    difference: { balance: -0.04, usage_costs: { DOCUMENT_PROCESSING: 0.03, VECTOR_PROCESSING: 0.01 } },
  })
  const { body: since } = await client.request('GET', '/v1/usage/diff?from=2001-01-01')
  expect(since.data.from).toEqual({ at: '2001-01-01T00:00:00.000Z', balance: 0, usage_costs: {} })
})

/** What a job runs each night. */
const nightlyProof = (): Promise<{ code: number; said: string }> =>
  new Promise((resolve) =>
    execFile(
      'sh',
      [new URL('../../../infra/image/verify.sh', import.meta.url).pathname],
      {
        env: {
          PATH: `${join(process.execPath, '..')}:${process.env['PATH']}`,
          MEDIALOG_URL: server.running.url,
          MEDIALOG_OPERATOR_TOKEN: server.running.operatorToken,
        },
      },
      (error, stdout) => resolve({ code: Number(error?.code ?? 0), said: stdout }),
    ),
  )

test('a money mistake in the read model is named by the replay and by verify, and mended by a rebuild', async () => {
  const { accountId } = await spender()
  const folder = join(server.folder, 'read-models')
  const [file] = (await readdir(folder)).filter((name) => /^records-\d+\.sqlite$/.test(name))
  const database = new DatabaseSync(join(folder, file!), { timeout: 10_000 })
  const { id, position } = database
    .prepare(
      `SELECT body ->> '$.postingId' AS id, position FROM posting
       WHERE accountId = ? AND type = 'charge' ORDER BY position`,
    )
    .get(accountId) as { id: string; position: number }
  database
    .prepare("UPDATE posting SET body = json_set(body, '$.amount', '-30000000') WHERE position = ?")
    .run(position)
  database.close()

  const found = await medialog(server.running, 'audit', 'replay', accountId)
  expect(found.code).toBe(1)
  const broken = found.answer.proof.lines.filter(({ holds }: { holds: boolean }) => !holds)
  expect(broken).toMatchObject([
    {
      name: 'postings',
      fault_count: 1,
      faults: [
        {
          subject: id,
          position,
          revision: 1,
          reason: 'the read model has an amount of -0.03 USD; by the events it is -0.04 USD and leaves 0.96',
        },
      ],
    },
  ])
  const nightly = await nightlyProof()
  expect([nightly.code, nightly.said]).toEqual([
    1,
    expect.stringMatching(/intact +yes[^]*identical +no\n[^]*\nusage +[0-9a-f]{64}\s+is in service/),
  ])
  const metrics = connect(server.running.url, { authorization: `Bearer ${server.running.operatorToken}` })
  const failed = async () =>
    [
      ...(await metrics.request('GET', '/metrics')).body.matchAll(
        /^medialog_verification_failed\{operation="(.+)"\} 1$/gm,
      ),
    ].map(([, operation]) => operation)
  expect(await failed()).toEqual(['projections-verify'])
  expect((await medialog(server.running, 'projections', 'rebuild', 'usage')).code).toBe(0)
  expect((await nightlyProof()).code).toBe(0)
  expect(await failed()).toEqual([])
  expect(await medialog(server.running, 'audit', 'replay', accountId)).toMatchObject({
    code: 0,
    answer: { proof: { holds: true } },
  })
})

describe('what if', () => {
  test('history is repriced, account by account', async () => {
    const { accountId } = await spender()
    const folder = await mkdtemp(join(tmpdir(), 'medialog-prices-'))
    const prices = join(folder, 'prices.json')
    await writeFile(prices, JSON.stringify({ DOCUMENT_PROCESSING: 0.01, ADVANCED_SEARCH: 0.02 }))
    const { code, answer } = await medialog(server.running, 'audit', 'reprice', accountId, '--prices', prices)
    expect(code).toBe(0)
    const [account] = answer.result.accounts
    const search = account.operations.ADVANCED_SEARCH.charged
    expect(account).toMatchObject({
      account_id: accountId,
      charges: 3,
      unexplained: { charges: 0, amount: 0 },
      operations: {
        DOCUMENT_PROCESSING: { charged: 0.06, repriced: 0.02, difference: -0.04 },
        VECTOR_PROCESSING: { charged: 0.02, repriced: 0.02, difference: 0 },
        ADVANCED_SEARCH: { repriced: search * 2, difference: search },
      },
    })
    const later = ['audit', 'reprice', accountId, '--prices', prices, '--from', '2999-01-01']
    expect((await medialog(server.running, ...later)).answer.result.accounts).toEqual([])
    const everybody = await medialog(server.running, 'audit', 'reprice', '--prices', prices)
    expect(everybody.answer.result.accounts.length).toBeGreaterThan(1)
    await rm(folder, { recursive: true })
  })

  test.each([
    ['{', 2, 'is not JSON'],
    ['[0.02]', 2, 'is no object of prices'],
    ['{"DOCUMENT": 0.02}', 1, 'prices.DOCUMENT is no price key: these are DOCUMENT_PROCESSING'],
    ['{"MEDIA_ANALYSIS": "two cents"}', 1, 'prices.MEDIA_ANALYSIS must be an amount of USD'],
    [null, 2, 'is not there'],
  ])('a file of prices that holds %s is refused in words', async (text, code, message) => {
    const folder = await mkdtemp(join(tmpdir(), 'medialog-prices-'))
    const prices = join(folder, 'prices.json')
    if (text !== null) await writeFile(prices, text)
    const refused = await medialog(server.running, 'audit', 'reprice', '--prices', prices)
    await rm(folder, { recursive: true })
    expect(refused).toMatchObject({ code, answer: { error: { message: expect.stringContaining(message) } } })
  })
})
