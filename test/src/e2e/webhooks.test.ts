import { randomUUID } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { startReceiver, status, verified, type Receiver } from '@medialog/messaging/testing/receiver'
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { medialog } from '../harness/cli.ts'
import { asAccount, asOperator, type Client } from '../harness/client.ts'
import { startServer, temporaryDataFolder, type RunningServer } from '../harness/server.ts'
import { expectStatus } from '../harness/expect-status.ts'

const LONG = { timeout: 120_000, interval: 25 }
const LOCAL = {
  MEDIALOG_WEBHOOK_HTTP: 'true',
  MEDIALOG_WEBHOOK_NETWORKS: '127.0.0.0/8',
  MEDIALOG_WEBHOOK_RETRY_SECONDS: '1',
  MEDIALOG_WEBHOOKS: 'standard=4',
}
vi.setConfig({ testTimeout: 240_000 })

let folder: Awaited<ReturnType<typeof temporaryDataFolder>>
let server: RunningServer
let receiver: Receiver
let apiKey: string
let client: Client

beforeAll(async () => {
  folder = await temporaryDataFolder()
  server = await startServer({ dataFolder: folder.path, env: LOCAL })
  apiKey = server.apiKey!
  client = asAccount(server.url, apiKey)
  receiver = await startReceiver()
})
afterAll(async () => {
  await server.stop()
  await receiver[Symbol.asyncDispose]()
  await folder.remove()
})
beforeEach(async () => {
  const { body } = await client.request('GET', '/v1/webhooks')
  for (const { webhook_id: id } of body.data.webhooks) await client.request('DELETE', `/v1/webhooks/${id}`)
  receiver.received.length = 0
  receiver.answers(status(204))
})

const add = async (types: string[] = []): Promise<{ path: string; secret: string }> => {
  const { status, body } = await client.request('POST', '/v1/webhooks', {
    json: { url: receiver.url, types },
  })
  expect(status, JSON.stringify(body)).toBe(200)
  return { path: `/v1/webhooks/${body.data.webhook.webhook_id}`, secret: body.data.secret }
}
/** Never one that is stored already, so that a test may be tried again. */
const text = () => `What is sent says nothing of this: ${randomUUID()}.`
const move = async (collection: string): Promise<void> => {
  const { body } = await client.request('GET', '/v1/media')
  const items = [body.data.items[0].id]
  const { status } = await client.request('POST', `/v1/media/collections/${collection}/items`, {
    json: { items },
  })
  expect(status).toBe(200)
}
const types = () => receiver.received.map(({ type }) => type.replace('medialog.', ''))
const deliveriesOf = async (path: string, status?: string) =>
  (await client.request('GET', `${path}/deliveries${status === undefined ? '' : `?status=${status}`}`)).body
    .data.deliveries
const allDelivered = (path: string, count: number) =>
  vi.waitFor(async () => expect(await deliveriesOf(path, 'delivered')).toHaveLength(count), LONG)

test('an upload, a move and a deletion are sent, signed; and sent again when they are asked for', async () => {
  const { path, secret } = await add(['MediaIngested', 'medialog.ItemsMoved', 'MediaDeleted'])
  const first = (await client.request('GET', path)).headers.get('x-position')
  const uploaded = await client.upload('a.txt', text())
  const kept = await client.upload('b.txt', text())
  expect([uploaded.status, kept.status]).toEqual([200, 200])
  await move('sea')
  await client.request('DELETE', `/v1/media/${uploaded.body.data.media_id}`)
  await allDelivered(path, 4)
  expect(types().toSorted()).toEqual(['ItemsMoved', 'MediaDeleted', 'MediaIngested', 'MediaIngested'])
  for (const message of receiver.received) {
    expect(verified(secret, message)).toMatchObject({ id: message.headers['webhook-id'] })
    expect(message.body).not.toContain('a.txt')
  }
  const { body } = await client.request('GET', path)
  expect(body.data).toMatchObject({ status: 'active', pending: 0, dead: 0, types: expect.any(Array) })

  const before = receiver.received.map(({ id }) => id)
  receiver.received.length = 0
  expectStatus(await client.request('POST', `${path}/replay`, { json: { after: first } }), 200)
  const moved = (await deliveriesOf(path)).find(({ type }: { type: string }) => type === 'ItemsMoved')
  await vi.waitFor(
    () => expect(types().toSorted()).toEqual(['ItemsMoved', 'MediaDeleted', 'MediaIngested']),
    LONG,
  )
  for (const { id } of receiver.received) expect(before).toContain(id)

  receiver.received.length = 0
  await client.request('POST', `${path}/deliveries/${moved.delivery_id}/resend`)
  await vi.waitFor(() => expect(receiver.received.map(({ id }) => id)).toEqual([moved.delivery_id]), LONG)
  const latest = (await client.request('GET', path)).headers.get('x-position')
  for (const after of [latest, moved.position])
    expectStatus(await client.request('POST', `${path}/replay`, { json: { after } }), 200)
  const wrong = await client.request('POST', `${path}/replay`, { json: { after: 'nowhere' } })
  expect([wrong.status, wrong.body.error.code]).toEqual([400, 'VALIDATION_ERROR'])
})

test('what could not be sent of an item before it was deleted is not sent any more, but that it was deleted', async () => {
  const { path } = await add(['MediaIngested', 'MediaDeleted'])
  receiver.answers((response, { type }) =>
    response.writeHead(type === 'medialog.MediaDeleted' ? 204 : 500).end(),
  )
  const { body } = await client.upload('c.txt', text())
  await vi.waitFor(() => expect(types()).toContain('MediaIngested'), LONG)
  await client.request('DELETE', `/v1/media/${body.data.media_id}`)
  await allDelivered(path, 1)
  const deliveries = await deliveriesOf(path)
  expect(deliveries.map(({ type, status }: { [key: string]: string }) => [type, status]).toSorted()).toEqual([
    ['MediaDeleted', 'delivered'],
    ['MediaIngested', 'erased'],
  ])
})

test('the webhooks of another account are not there', async () => {
  const { path } = await add()
  await move(`other-${randomUUID()}`)
  await allDelivered(path, 1)
  const [{ delivery_id: delivery }] = await deliveriesOf(path)
  const operator = asOperator(server.url, server.operatorToken)
  const opened = await operator.request('POST', '/admin/accounts', { json: { name: 'other' } })
  const key = await operator.request('POST', `/admin/accounts/${opened.body.data.account_id}/keys`, {
    json: {},
  })
  const other = asAccount(server.url, key.body.data.api_key)
  expect((await other.request('GET', '/v1/webhooks')).body.data.webhooks).toEqual([])
  const after = { json: { after: 'beginning' } }
  for (const [method, at, options] of [
    ['GET', path],
    ['PATCH', path, { json: { paused: true } }],
    ['DELETE', path],
    ['POST', `${path}/secret`],
    ['POST', `${path}/replay`, after],
    ['POST', `${path}/test`],
    ['GET', `${path}/deliveries`],
    ['POST', `${path}/deliveries/${delivery}/resend`],
  ] as const) {
    const { status, body } = await other.request(method, at, options)
    expect([method, at, status, body.error.code]).toEqual([method, at, 404, 'RESOURCE_NOT_FOUND'])
  }
  // Nor is what happens there sent to anybody but itself.
  const theirs = await startReceiver()
  onTestFinished(() => theirs[Symbol.asyncDispose]())
  await other.request('POST', '/v1/webhooks', { json: { url: theirs.url } })
  await operator.request('POST', `/admin/accounts/${opened.body.data.account_id}/credits`, {
    json: { amount: 1, reference: 'r' },
  })
  await vi.waitFor(() => expect(theirs.received).toHaveLength(1), LONG)
  expect(types()).not.toContain('BalanceCredited')
})

describe('refused is', () => {
  test.each([
    'https://169.254.169.254/latest',
    'https://[::1]/',
    'https://10.0.0.1/',
    'https://me:secret@example.com/',
    'ftp://example.com/',
    'nonsense',
  ])('the address %s', async (url) => {
    const { status, body } = await client.request('POST', '/v1/webhooks', { json: { url } })
    expect([status, body.error.code, body.error.details.parameter]).toEqual([400, 'VALIDATION_ERROR', 'url'])
  })

  test('a type that is not published, one webhook too many, a key that may not read', async () => {
    const wrong = await client.request('POST', '/v1/webhooks', {
      json: { url: receiver.url, types: ['ApiKeyIssued'] },
    })
    expect([wrong.status, wrong.body.error.details.parameter]).toEqual([400, 'types[0]'])
    for (let number = 0; number < 4; number++) await add()
    const more = await client.request('POST', '/v1/webhooks', { json: { url: receiver.url } })
    expect([more.status, more.body.error]).toMatchObject([
      409,
      { code: 'WEBHOOK_LIMIT_REACHED', details: { limit: 4 } },
    ])
    const operator = asOperator(server.url, server.operatorToken)
    const { body } = await client.request('GET', '/v1/usage')
    const key = await operator.request('POST', `/admin/accounts/${body.data.account_info.user_id}/keys`, {
      json: { capabilities: ['write'] },
    })
    const writer = asAccount(server.url, key.body.data.api_key)
    const refused = await writer.request('POST', '/v1/webhooks', { json: { url: receiver.url } })
    expect([refused.status, refused.body.error.details]).toMatchObject([403, { required_capability: 'read' }])
    const [{ webhook_id: id }] = (await client.request('GET', '/v1/webhooks')).body.data.webhooks
    const turned = await writer.request('PATCH', `/v1/webhooks/${id}`, { json: { url: receiver.url } })
    expectStatus(turned, 403)
  })
})

test('a webhook is paused, changed, given a new secret and resumed', async () => {
  const { path, secret } = await add(['ItemsMoved'])
  const change = async (json: object) => (await client.request('PATCH', path, { json })).body.data
  expect(await change({ paused: true })).toMatchObject({ status: 'paused' })
  const refused = await client.request('POST', `${path}/test`)
  expect([refused.status, refused.body.error.code]).toEqual([409, 'WEBHOOK_NOT_ACTIVE'])
  await move(`paused-${randomUUID()}`)
  const rotated = await client.request('POST', `${path}/secret`)
  expect(rotated.body.data.secret).toMatch(/^whsec_/)
  expect(await change({ paused: false, types: [] })).toMatchObject({ status: 'active', types: [] })
  await vi.waitFor(() => expect(types()).toEqual(['ItemsMoved']), LONG)
  for (const one of [secret, rotated.body.data.secret as string])
    expect(() => verified(one, receiver.received[0]!)).not.toThrow()
})

test('secrets are in no file of the data folder but the key that they are made of', async () => {
  const { secret } = await add()
  const log = await readFile(join(folder.path, 'log', 'events.sqlite'), 'latin1')
  const state = await readFile(join(folder.path, 'webhooks', 'deliveries.sqlite'), 'latin1')
  for (const bytes of [log, state]) {
    expect(bytes).not.toContain(secret.slice(6))
    expect(bytes).not.toContain(Buffer.from(secret.slice(6), 'base64').toString('latin1'))
  }
})

test('the command line does it all, and what was sent is measured', async () => {
  const cli = async (...args: string[]) => {
    const { code, answer } = await medialog(server, 'webhooks', ...args, '--key', apiKey)
    expect([code, answer]).toEqual([0, expect.anything()])
    return answer
  }
  const { webhook, secret } = await cli('add', receiver.url, '--type', 'ItemsMoved')
  const id: string = webhook.webhook_id
  expect((await cli('list')).webhooks).toMatchObject([{ webhook_id: id, types: ['ItemsMoved'] }])
  const { delivery_id: delivery } = await cli('test', id)
  await vi.waitFor(() => expect(receiver.received.map(({ id }) => id)).toEqual([delivery]), LONG)
  expect(verified(secret, receiver.received[0]!)).toMatchObject({ type: 'medialog.WebhookTested' })
  await allDelivered(`/v1/webhooks/${id}`, 1)
  expect((await cli('deliveries', id)).deliveries).toMatchObject([
    { delivery_id: delivery, status: 'delivered' },
  ])
  await cli('resend', id, delivery)
  await vi.waitFor(() => expect(receiver.received).toHaveLength(2), LONG)
  expect(await cli('change', id, '--pause')).toMatchObject({ status: 'paused' })
  expect(await cli('change', id, '--resume', '--all-types')).toMatchObject({ status: 'active', types: [] })
  await cli('replay', id, '--after', 'beginning')
  await vi.waitFor(() => expect(types()).toContain('MediaIngested'), LONG)
  await cli('secret', id)
  await cli('remove', id)
  expect((await cli('list')).webhooks).toEqual([])
  const metrics = await fetch(`${server.url}/metrics`, {
    headers: { authorization: `Bearer ${server.operatorToken}` },
  })
  const text = await metrics.text()
  expect(Number(/^medialog_webhook_delivered_total (\d+)$/m.exec(text)?.[1])).toBeGreaterThan(2)
  expect(text).toMatch(/^medialog_webhook_failing 0$/m)
})
