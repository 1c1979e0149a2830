import { READ_MODELS } from '@medialog/application'
import { testIndices } from '@medialog/read-model/testing/elasticsearch-engine'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { describeWithEngine } from '../engines.ts'
import { medialog } from '../harness/cli.ts'
import { asAccount, asOperator, type Answer, type Client } from '../harness/client.ts'
import { operated } from '../harness/operations.ts'
import { startProxy, type Proxy } from '../harness/proxy.ts'
import { startServer, temporaryDataFolder, type RunningServer } from '../harness/server.ts'
import { expectStatus } from '../harness/expect-status.ts'

vi.setConfig({ testTimeout: 300_000, hookTimeout: 240_000 })
const PATIENT = { timeout: 120_000, interval: 200 }

const SENTENCES = ['Whales sleep upright.', 'A bridge fell down in the wind.', 'Kimchi is fermented cabbage.']

describeWithEngine('elasticsearch', 'a service whose read models are in Elasticsearch', (url) => {
  let folder: Awaited<ReturnType<typeof temporaryDataFolder>>
  let proxy: Proxy
  let indices: ReturnType<typeof testIndices>
  let server: RunningServer
  let client: Client
  let apiKey: string | null = null

  async function start(): Promise<void> {
    const env = { ELASTICSEARCH_URL: `http://${proxy.address}`, ELASTICSEARCH_PREFIX: indices.prefix }
    server = await startServer({ dataFolder: folder.path, env, readyWithinMs: 200_000 })
    apiKey ??= server.apiKey
    client = asAccount(server.url, apiKey!)
  }

  beforeAll(async () => {
    folder = await temporaryDataFolder()
    proxy = await startProxy(new URL(url).host)
    indices = testIndices(url)
    await start()
    for (const [n, text] of SENTENCES.entries()) await client.upload(`${n}.txt`, text)
  })
  afterAll(async () => {
    await server.stop()
    await proxy.cut()
    await indices.remove()
    await folder.remove()
  })

  const search = (query: string): Promise<Answer> =>
    client.request('POST', '/v1/search', { json: { query, collections: 'all' } })
  const list = (): Promise<Answer> => client.request('GET', '/v1/media')
  const status = async (): Promise<string> =>
    (await client.request('GET', '/v1/status')).body.data.status as string
  const namesFound = async (query: string): Promise<string[]> =>
    (await search(query)).body.data.results.map(
      ({ metadata }: { metadata: { file_info: { filename: string } } }) => metadata.file_info.filename,
    )
  const operator = (): Client => asOperator(server.url, server.operatorToken)
  const verified = (name: string) => operated(operator(), { kind: 'projections-verify', name })

  test('a client reads its own writes, in lists and in searches', async () => {
    const { body, status: uploaded } = await client.upload('own.txt', 'Umbrellas are opened in the rain.')
    expect(uploaded).toBe(200)
    expect((await list()).body.data.pagination.total_items).toBe(SENTENCES.length + 1)
    expect((await namesFound('umbrellas in rain'))[0]).toBe('own.txt')
    const { status: deleted } = await client.request('DELETE', `/v1/media/${body.data.media_id}`)
    expect(deleted).toBe(200)
    expect((await list()).body.data.pagination.total_items).toBe(SENTENCES.length)
    expect(await namesFound('umbrellas in rain')).not.toContain('own.txt')
    await vi.waitFor(async () => expect(await status()).toBe('operational'), PATIENT)
  })

  test('a money mistake in it is named by the replay and by verify, and mended by a rebuild', async () => {
    const replay = () => medialog(server, 'audit', 'replay', 'dev')
    const before = await replay()
    expect(before).toMatchObject({ code: 0, answer: { proof: { holds: true } } })
    const charge = before.answer.postings.find(({ kind }: { kind: string }) => kind === 'charge')
    // A cent less, by hand.
    const { updated } = await indices.client.updateByQuery({
      index: `${indices.prefix}records`,
      query: { wildcard: { id: `posting/*/charge/${charge.id}` } },
      script: { source: 'ctx._source.posting.amount = params.amount', params: { amount: '-30000000' } },
      refresh: true,
    })
    expect(updated).toBe(1)
    const found = await replay()
    expect(found.code).toBe(1)
    expect(found.answer.proof.lines.filter(({ holds }: { holds: boolean }) => !holds)).toMatchObject([
      {
        name: 'postings',
        fault_count: 1,
        faults: [{ subject: charge.id, reason: expect.stringContaining('-0.03 USD') }],
      },
    ])
    const { answer, code } = await medialog(server, 'projections', 'verify')
    const different = answer.result.read_models.filter(({ identical }: { identical: boolean }) => !identical)
    expect([code, different]).toMatchObject([1, [{ read_model: 'usage' }]])
    expect((await medialog(server, 'projections', 'rebuild', 'usage')).code).toBe(0)
    expect((await medialog(server, 'projections', 'verify')).code).toBe(0)
    expect(await replay()).toMatchObject({ code: 0, answer: { proof: { holds: true } } })
  })

  /** Another key of the account, used once. */
  async function anotherKey(): Promise<{ revoke: string; client: Client }> {
    const { body: accounts } = await operator().request('GET', '/admin/accounts')
    const keys = `/admin/accounts/${accounts.data.accounts[0].account_id}/keys`
    const { body: key } = await operator().request('POST', keys, { json: {} })
    const another = asAccount(server.url, key.data.api_key)
    expectStatus(await another.request('GET', '/v1/media'), 200)
    return { revoke: `${keys}/${key.data.key_id}`, client: another }
  }

  test('while it is away what is read says so and what is written goes on; then it catches up by itself', async () => {
    const another = await anotherKey()
    await proxy.cut()
    try {
      // The log knows that it was revoked.
      expectStatus(await operator().request('DELETE', another.revoke), 200)
      expectStatus(await another.client.request('GET', '/v1/media'), 401)
      expectStatus(await search('whales'), 503)
      expectStatus(await list(), 503)
      await vi.waitFor(async () => expect(await status()).not.toBe('operational'), PATIENT)
      const { status: uploaded } = await client.upload('away.txt', 'Glaciers move slowly down a valley.')
      expect(uploaded).toBe(200)
    } finally {
      await proxy.mend()
    }
    await vi.waitFor(async () => expect((await namesFound('glaciers'))[0]).toBe('away.txt'), PATIENT)
    await vi.waitFor(async () => expect(await status()).toBe('operational'), PATIENT)
  })

  test('killed and started while connections are cut, it shows what the log tells', async () => {
    const uploads = Array.from({ length: 12 }, (_, n) =>
      client.upload(`many-${n}.txt`, `Kettle number ${n} whistles.`),
    )
    for (let cuts = 0; cuts < 5; cuts++) {
      await Promise.race([Promise.allSettled(uploads), new Promise((resolve) => setTimeout(resolve, 300))])
      proxy.drop()
    }
    await Promise.allSettled(uploads)
    await server.kill()
    await start()
    await vi.waitFor(async () => expect(await status()).toBe('operational'), PATIENT)
    for (const name of READ_MODELS)
      expect((await verified(name)).result).toMatchObject({ read_model: name, identical: true })
  })
})
