import { longRecording } from '@medialog/understanding/testing/long-recording'
import { startReceiver, status, verified, type Receiver } from '@medialog/messaging/testing/receiver'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { intrude } from '@medialog/event-store/testing/eventstoredb/intruder'
import { describeProcesses } from '../engines.ts'
import { expectConsistent } from '../faults/consistency.ts'
import { expectBooksToBalance } from '../faults/killable.ts'
import { batchWhere, endedBatch, expectWholeBatch, nano } from '../harness/batches.ts'
import { takingTurns, type Client } from '../harness/client.ts'
import { follow } from '../harness/feed.ts'
import { operated } from '../harness/operations.ts'
import { startCluster, type Cluster } from '../harness/processes.ts'
import { testOneLife } from './suites/one-life.ts'
import { expectStatus } from '../harness/expect-status.ts'

vi.setConfig({ testTimeout: 300_000, hookTimeout: 300_000 })

/** A loaded machine takes its time; what is waited for is a condition. */
const LONG = { timeout: 120_000, interval: 200 }
const ITEM = 0.04
/** As few as may be. */
const CHECKPOINT_EVENTS = 100

describeProcesses('several processes', () => {
  let cluster: Cluster
  let receiver: Receiver
  let account: Awaited<ReturnType<Cluster['openAccount']>>
  const both = (): [Client, Client] => [account.at(0), account.at(1)]
  let spent = 0

  beforeAll(async () => {
    receiver = await startReceiver()
    cluster = await startCluster({
      processes: { projections: 1, worker: 2, api: 2, publisher: 1 },
      env: {
        MEDIALOG_WEBHOOK_KEY: 'a key that all of the processes have',
        MEDIALOG_WEBHOOK_HTTP: 'true',
        MEDIALOG_WEBHOOK_NETWORKS: '127.0.0.0/8',
        MEDIALOG_WEBHOOK_RETRY_SECONDS: '1',
        MEDIALOG_CHECKPOINT_EVENTS: String(CHECKPOINT_EVENTS),
      },
    })
    account = await cluster.openAccount(10)
  })
  afterAll(async () => {
    await cluster.remove()
    await receiver[Symbol.asyncDispose]()
  })

  const statusIs = async (expected: object) => {
    for (const client of both())
      await vi.waitFor(async () => {
        const { body } = await client.request('GET', '/v1/status')
        expect(body.data).toMatchObject(expected)
      }, LONG)
  }

  const itemsAt = async (client: Client): Promise<string[]> => {
    const { body } = await client.request('GET', '/v1/media?page_size=100')
    return body.data.items.map((item: { file_info: { filename: string } }) => item.file_info.filename).sort()
  }

  test('requests may go to any of them: what one wrote, the other reads', async () => {
    const [here, there] = both()
    const uploads = Array.from({ length: 8 }, (_, number) =>
      [here, there][number % 2]!.upload(`note-${number}.txt`, `The note of number ${number}, on whales.`),
    )
    const answers = await Promise.all(uploads)
    expect(answers.map(({ status }) => status)).toEqual(Array<number>(8).fill(200))
    const position = answers.at(-1)!.headers.get('x-position')!
    const read = await there.request('GET', '/v1/media?page_size=100', {
      headers: { 'x-min-position': position },
    })
    expect(read.body.data.pagination.total_items).toBe(8)
    const json = { query: 'whales', type: 'advanced' }
    const found = await there.request('POST', '/v1/search', { json })
    expect([found.status, found.body.data.results.length]).toEqual([200, 8])
    spent += nano(found.body.data.cost)
    const key = { 'idempotency-key': 'the-same-wherever-it-is-sent' }
    const once = await here.upload('once.txt', 'Sent twice, stored once.', {}, key)
    const again = await there.upload('once.txt', 'Sent twice, stored once.', {}, key)
    expectStatus(again, 200)
    expect(again.body.data).toEqual(once.body.data)
    const files = Array.from({ length: 6 }, (_, n) => ({
      filename: `page-${n}.txt`,
      bytes: `Page ${n} of it.`,
    }))
    const { status, body } = await here.batch(files)
    expect(status).toBe(200)
    const ended = await endedBatch(there, body.data.batch_id)
    expectWholeBatch(
      ended,
      files.map(({ filename }) => filename),
    )
    await there.request('DELETE', `/v1/media/${answers[0]!.body.data.media_id}`)
    await vi.waitFor(async () => expect(await itemsAt(here)).not.toContain('note-0.txt'), LONG)
    spent += nano(ITEM)
    for (const client of both()) await expectBooksToBalance(client, spent)
  })

  test('a rolling restart of both workers and both APIs loses no request', async () => {
    const { apiKey, at } = await cluster.openAccount(1_000)
    const outcomes: string[] = []
    let over = false
    /** As a load balancer does: another process is asked where a connection cannot be made, or breaks before an answer. */
    const asked = async (path: string, request: () => RequestInit): Promise<string> => {
      const broken: string[] = []
      for (let attempt = 0; attempt < 4; attempt++)
        try {
          // Asked for each time: one that starts again has another address.
          const { url } = cluster.processes.api[attempt % 2]!
          const answer = await fetch(url + path, request())
          return `${answer.status} ${answer.ok ? '' : await answer.text()}`.trim()
        } catch (error) {
          const { code } = ((error as Error).cause ?? {}) as { code?: string }
          broken.push(code ?? String(error))
        }
      return `no process: ${broken.join(', ')}`
    }
    const read = (): RequestInit => ({ headers: { 'x-api-key': apiKey } })
    let uploads = 0
    const upload = (turn: number) => (): RequestInit => {
      const body = new FormData()
      body.append('file', new File([`A note of turn ${turn}, while they restart.`], `turn-${turn}.txt`))
      uploads = turn + 1
      return { method: 'POST', body, headers: { 'x-api-key': apiKey, 'idempotency-key': `turn-${turn}` } }
    }
    const client = async (ask: (turn: number) => Promise<string>) => {
      for (let turn = 0; !over; turn++) {
        outcomes.push(await ask(turn))
        await new Promise((resolve) => setTimeout(resolve, 150))
      }
    }
    const clients = [
      client((turn) => asked('/v1/media', upload(turn))),
      client(() => asked('/v1/media?page_size=5', read)),
      client(() => asked('/v1/status', read)),
    ]
    for (const role of ['worker', 'api'] as const)
      for (const at of [0, 1]) {
        expect(await cluster.processes[role][at]!.stop()).toBe(0)
        await cluster.start(role, { at })
      }
    over = true
    await Promise.all(clients)
    expect(outcomes.length).toBeGreaterThan(50)
    expect(outcomes.filter((outcome) => outcome !== '200')).toEqual([])
    // Each once, however often it was asked for.
    await vi.waitFor(async () => {
      const { body } = await at(0).request('GET', '/v1/media?page_size=1')
      expect(body.data.pagination.total_items).toBe(uploads)
    }, LONG)
  })

  test('what happens is told by any of them, from any place that another told', async () => {
    const at = (api: number, after: string) =>
      follow(cluster.processes.api[api]!.url, { 'x-api-key': account.apiKey }, { after })
    const here = await at(0, 'beginning')
    const { body } = await account.at(1).request('GET', '/v1/audit/ledger?page_size=1000')
    const postings = () => here.events.filter(({ type }) => /Credited|Charged|Refunded/.test(type)).length
    await vi.waitFor(() => expect(postings()).toBe(body.data.postings.length), LONG)
    const place = here.ids[Math.floor(here.ids.length / 2)]!
    const there = await at(1, place)
    const rest = () => here.events.slice(here.ids.indexOf(place) + 1)
    await vi.waitFor(() => expect(there.events).toEqual(rest()), LONG)
    expectStatus(await account.at(1).upload('told.txt', 'Told by both of them.'), 200)
    await vi.waitFor(() => expect(there.types().slice(-1)).toEqual(['ChargeSettled']), LONG)
    await vi.waitFor(() => expect(there.events).toEqual(rest()), LONG)
    for (const follower of [here, there]) follower.leave()
  })

  test('a key that one of them revoked is refused by the other within a second', async () => {
    const { body } = await cluster
      .operator()
      .request('POST', `/admin/accounts/${account.accountId}/keys`, { json: {} })
    const headers = { 'x-api-key': body.data.api_key as string }
    const asked = () => fetch(`${cluster.processes.api[1]!.url}/v1/usage`, { headers })
    await vi.waitFor(async () => expectStatus(await asked(), 200), LONG)
    const path = `/admin/accounts/${account.accountId}/keys/${body.data.key_id}`
    expectStatus(await cluster.operator(0).request('DELETE', path), 200)
    await new Promise((resolve) => setTimeout(resolve, 1_000))
    expectStatus(await asked(), 401)
  })

  test('each says how it is, and is measured', async () => {
    for (const role of ['worker', 'projections', 'publisher'] as const)
      for (const { url } of cluster.processes[role]) {
        await vi.waitFor(async () => expectStatus(await fetch(`${url}/readyz`), 200), LONG)
        expect(await (await fetch(`${url}/metrics`)).text()).toContain(`medialog_ready{role="${role}"} 1`)
      }
    await statusIs({ status: 'operational', components: { publisher: 'operational' } })
  })

  test('a broker that a publisher misses is shown by every API', async () => {
    const env = { KAFKA_BROKERS: '127.0.0.1:1', KAFKA_PUBLISHER: 'another' }
    const another = await cluster.start('publisher', { at: 1, env })
    await statusIs({ status: 'degraded', components: { api: 'operational', publisher: 'degraded' } })
    expect(await another.stop()).toBe(0)
    await statusIs({ status: 'operational', components: { publisher: 'operational' } })
  })

  test('webhooks are added at any API, sent by the publisher, and by the next one once it was killed', async () => {
    const [here, there] = both()
    const added = await here.request('POST', '/v1/webhooks', {
      json: { url: receiver.url, types: ['ItemsMoved'] },
    })
    expectStatus(added, 200)
    const { secret, webhook } = added.body.data
    const path = `/v1/webhooks/${webhook.webhook_id}`
    const { body } = await there.request('GET', '/v1/media')
    const items = [body.data.items[0].id]
    const move = async (collection: string) => {
      const moved = await there.request('POST', `/v1/media/collections/${collection}/items`, {
        json: { items },
      })
      expectStatus(moved, 200)
    }
    await move('one')
    await vi.waitFor(() => expect(receiver.received).toHaveLength(1), LONG)
    expect(verified(secret, receiver.received[0]!)).toMatchObject({ type: 'medialog.ItemsMoved' })

    receiver.answers(() => undefined)
    await move('two')
    await vi.waitFor(() => expect(receiver.received).toHaveLength(2), LONG)
    const held = receiver.received[1]!
    await cluster.processes.publisher[0]!.kill()
    receiver.answers(status(204))
    receiver.received.length = 0
    await move('three')
    await cluster.start('publisher', { at: 0 })
    await vi.waitFor(() => expect(receiver.received).toHaveLength(2), LONG)
    expect(receiver.received[0]!.id).toBe(held.id)

    const delivered = async () =>
      (await there.request('GET', `${path}/deliveries?status=delivered`)).body.data.deliveries
    await vi.waitFor(async () => expect(await delivered()).toHaveLength(3), LONG)
    const [{ delivery_id: last }] = await delivered()
    await here.request('POST', `${path}/deliveries/${last}/resend`)
    await vi.waitFor(() => expect(receiver.received).toHaveLength(3), LONG)
    expect(receiver.received[2]!.id).toBe(last)
    expectStatus(await there.request('DELETE', path), 200)
    expectStatus(await here.request('GET', path), 404)
  })

  describe('an item, each of its requests at another API', () => {
    testOneLife({
      get client() {
        return takingTurns(both)
      },
    })
  })

  test('processes sign checkpoints by themselves, and name what somebody does to the log of their server', async () => {
    const path = `/admin/accounts/${account.accountId}/credits`
    const credit = (n: number) =>
      cluster.operator().request('POST', path, { json: { amount: 0.01, reference: `credit-${n}` } })
    await Promise.all(Array.from({ length: CHECKPOINT_EVENTS }, (_, n) => credit(n)))
    const recorded = async () => (await cluster.events()).filter(({ type }) => type === 'LogCheckpointed')
    await vi.waitFor(
      async () => expect((await recorded()).some(({ metadata }) => metadata.actor === 'system')).toBe(true),
      { timeout: 60_000, interval: 100 },
    )
    const verify = () => operated(cluster.operator(), { kind: 'audit-verify' })
    const { result: good } = await verify()
    expect(good).toMatchObject({ intact: true, found: 0, checkpoints: (await recorded()).length })

    await using by = intrude(cluster.log.url, cluster.log.tls)
    const stream = `ledger-${account.accountId}`
    await by.hideBefore(`${cluster.log.prefix}${stream}`, 1)
    const { result: hidden } = await verify()
    expect(hidden).toMatchObject({ intact: false, findings: [{ what: 'missing', stream, revision: 0 }] })
    const upload = { filename: 'unpaid.txt', bytes: 'Not of a ledger that hides something.' }
    await vi.waitFor(async () => {
      const answers = await Promise.all([0, 1].map((api) => account.at(api).request('GET', '/v1/usage')))
      expect(answers.map(({ status }) => status)).toEqual([503, 503])
    }, LONG)
    // A worker that knows the ledger reads what was noted with an append, from a second on.
    await new Promise((resolve) => setTimeout(resolve, 1_100))
    expectStatus(await account.at(1).upload(upload.filename, upload.bytes), 503)
    await by.hideBefore(`${cluster.log.prefix}${stream}`, 0)
    expect((await verify()).result).toMatchObject({ intact: true })
    await vi.waitFor(async () => expectStatus(await account.at(0).request('GET', '/v1/usage'), 200), LONG)
  })

  test('a recording is listened to by a worker, by the next one once that was killed, and every API says how far it is', async () => {
    const [here, there] = both()
    const { body } = await here.batch([{ filename: 'talk.wav', bytes: await longRecording(7) }])
    const id = body.data.batch_id
    const isAtWork = ({ processing_jobs: jobs }: { processing_jobs?: object[] }) => jobs !== undefined
    const seen = await batchWhere(there, id, isAtWork, 100)
    expect(seen.processing_jobs).toMatchObject([{ filename: 'talk.wav' }])
    for (const worker of cluster.processes.worker) await worker.kill()
    await Promise.all([0, 1].map((at) => cluster.start('worker', { at })))
    expectWholeBatch(await endedBatch(there, id), ['talk.wav'])
    const found = await here.request('POST', '/v1/search', {
      json: { query: 'an ill-disposed young man', collections: 'all' },
    })
    expect(found.body.data.results[0]).toMatchObject({
      passage: { time: { start: expect.any(Number), end: expect.any(Number) } },
    })
  })

  test('the read models are what the log tells, and so is what was published', () =>
    expectConsistent({
      client: account.at(0),
      operator: cluster.operator(),
      events: cluster.events,
      kafka: cluster.kafka,
    }))

  test('each stops in order when it is told to, the workers while a batch is under way', async () => {
    const files = Array.from({ length: 6 }, (_, n) => ({
      filename: `last-${n}.txt`,
      bytes: `The last ${n}.`,
    }))
    const { body } = await account.at(0).batch(files)
    expect(await cluster.processes.worker[0]!.stop()).toBe(0)
    expect((await endedBatch(account.at(1), body.data.batch_id)).batch.status).toBe('completed')
    for (const role of ['api', 'publisher', 'projections'] as const)
      for (const running of cluster.processes[role]) expect(await running.stop()).toBe(0)
    expect(await cluster.processes.worker[1]!.stop()).toBe(0)
  })
})
