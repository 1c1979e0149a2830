import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { EngineUnavailable, InvalidInput, type FollowedEvents } from '@medialog/application'
import { BEGINNING } from '@medialog/kernel'
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { KEY, READER, refusal, startEdge, type Edge } from '../testing/edge.ts'
import { ACCOUNT } from '../testing/fixtures.ts'

const LONG = { timeout: 30_000 }
/** How long a reader may take nothing. */
const IDLE_MS = 2_000

let edge: Edge
const told: number[] = []
beforeEach(async () => {
  told.length = 0
  const render = async () => ({ contentType: 'text/plain', body: '' })
  edge = await startEdge({
    bodyTimeoutMs: IDLE_MS,
    metrics: {
      requestFinished: () => undefined,
      eventsTold: (count) => void told.push(count),
      connectionRefused: () => undefined,
      render,
    },
  })
})
afterEach(() => edge[Symbol.asyncDispose]())

const event = (number: number, data: object = {}): FollowedEvents['events'][number] => ({
  position: 100 + number,
  published: {
    topic: 'billing',
    attributes: {
      specversion: '1.0',
      id: `e${number}`,
      type: 'medialog.ChargeSettled',
      subject: `ledger-${ACCOUNT}`,
      time: '2026-11-20T13:05:09.123Z',
      dataversion: '1',
      revision: String(number),
      actor: 'system',
    },
    data: { ...data },
  },
})
const tell = (batch: Partial<FollowedEvents>) =>
  edge.fake.feed.emit('batch', {
    events: [],
    position: 200,
    live: true,
    accountChangedAt: null,
    ...batch,
  })

/** A feed, read as it comes. */
async function follow(path = '/v1/events', init: Parameters<Edge['fetch']>[1] = {}) {
  const leaving = new AbortController()
  onTestFinished(() => leaving.abort())
  const response = await edge.fetch(path, { ...init, signal: leaving.signal })
  if (!response.ok) throw Object.assign(new Error('refused'), { response })
  let text = ''
  const ended = (async () => {
    for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) text += chunk
  })().catch(() => undefined)
  await vi.waitFor(() => expect(text).toMatch(/^retry: 1000\nid: \S+\n\n/), LONG)
  return { response, ended, text: () => text, leave: () => leaving.abort() }
}
const refused = async (following: Promise<unknown>): Promise<Response> => {
  const error = await following.then(
    () => null,
    (error: unknown) => error as { response: Response },
  )
  return error!.response
}

test('an event is its place and a CloudEvent on one line; the place is taken back, the number nowhere', async () => {
  const feed = await follow()
  expect(feed.response.headers.get('content-type')).toMatch(/^text\/event-stream/)
  expect(feed.response.headers.get('cache-control')).toBe('no-store')
  tell({ events: [event(1, { text: 'a\n\ndata: b\r' }), event(2)] })
  await vi.waitFor(() => expect(feed.text()).toContain('"e2"'), LONG)
  const [, first, second] = [...feed.text().matchAll(/^id: (\S+)$/gm)].map(([, id]) => id!)
  const [data] = [...feed.text().matchAll(/^data: (.*)$/gm)].map(([, json]) => JSON.parse(json!) as object)
  expect(data).toEqual({
    ...event(1).published.attributes,
    source: '/medialog',
    datacontenttype: 'application/json',
    data: { text: 'a\n\ndata: b\r' },
  })
  expect(feed.text()).not.toMatch(/10[12]\b/)
  expect(told).toEqual([2])
  await follow(`/v1/events?after=${first}`)
  await follow('/v1/events?after=beginning', { headers: { 'last-event-id': second! } })
  expect(edge.fake.follows.map(({ after }) => after)).toEqual([null, 101, 102])
})

test('from the beginning, and of some types alone', async () => {
  await follow('/v1/events?after=beginning&types=medialog.MediaIngested,%20BatchFailed')
  expect(edge.fake.follows).toEqual([{ after: BEGINNING, types: new Set(['MediaIngested', 'BatchFailed']) }])
})

test.each([
  ['/v1/events?after=12', {}],
  ['/v1/events?after=', {}],
  ['/v1/events?types=ApiKeyIssued', {}],
  ['/v1/events', { 'last-event-id': 'A'.repeat(22) }],
])('%s is refused', async (path, headers) => {
  const { status, code } = await refusal(await edge.fetch(path, { headers }))
  expect([status, code]).toEqual([400, 'VALIDATION_ERROR'])
})

test('what the application refuses is refused before anything is sent', async () => {
  edge.fake.faults.set('feed.follow', new InvalidInput('VALIDATION_ERROR', 'too far'))
  expect((await refusal(await edge.fetch('/v1/events'))).status).toBe(400)
  edge.fake.faults.set('feed.follow', new EngineUnavailable('the log', 'is away'))
  const away = await edge.fetch('/v1/events')
  expect([away.status, away.headers.get('retry-after')]).toEqual([503, '5'])
  edge.fake.faults.clear()
  // What was refused takes no follower's place.
  await Promise.all([follow(), follow(), follow()])
})

test('an account has only so many, whichever key asks, and each that leaves makes room', async () => {
  const [first] = [await follow(), await follow('/v1/events', { key: READER }), await follow()]
  const full = await refused(follow())
  expect([full.status, full.headers.get('retry-after')]).toEqual([429, '10'])
  expect((await refusal(full)).details).toMatchObject({ limit: 3, open: 3 })
  first.leave()
  await vi.waitFor(() => follow(), LONG)
})

test('something happened to the account: a follower that may go on does, once reads show it; another receives the reason', async () => {
  const going = await follow()
  tell({ accountChangedAt: 45, events: [event(1)] })
  await vi.waitFor(() => expect(going.text()).toContain('"e1"'), LONG)
  const principal = edge.fake.principals.get(KEY)!
  edge.fake.principals.set(KEY, { ...principal, status: 'suspended' })
  tell({ accountChangedAt: 46, events: [event(2)] })
  await going.ended
  expect(going.text()).toMatch(/\n\nevent: end\ndata: \{"reason":"account_suspended",[^\n]+\}\n\n$/)
  expect(going.text()).not.toContain('"e2"')

  const suspended = await follow()
  tell({ accountChangedAt: 47, events: [event(3)] })
  await vi.waitFor(() => expect(suspended.text()).toContain('"e3"'), LONG)
  edge.fake.principals.delete(KEY)
  tell({ accountChangedAt: 48 })
  await suspended.ended
  expect(suspended.text()).toContain('"reason":"key_not_valid"')
})

test('a key that came as a bearer token is asked for again like any other', async () => {
  const feed = await follow('/v1/events', { key: null, headers: { authorization: `Bearer ${KEY}` } })
  tell({ accountChangedAt: 45, events: [event(1)] })
  await vi.waitFor(() => expect(feed.text()).toContain('"e1"'), LONG)
  expect(feed.text()).not.toContain('event: end')
})

test('it goes on while the validity of the key is unknown', async () => {
  const feed = await follow()
  edge.fake.faults.set('accounts.authenticate', new EngineUnavailable('read models', 'are away'))
  tell({ accountChangedAt: 45, events: [event(1)] })
  await vi.waitFor(() => expect(feed.text()).toContain('"e1"'), LONG)
})

test('a failure in the middle ends it with its reason, and is logged', async () => {
  const [failing, away] = [await follow(), await follow()]
  edge.fake.feed.emit('error', new Error('boom'))
  await Promise.all([failing.ended, away.ended])
  for (const feed of [failing, away]) expect(feed.text()).toContain('"reason":"failed"')
  expect(failing.text()).not.toContain('boom')
  expect(edge.log.filter(({ level }) => level === 'error')).toHaveLength(2)
  const unavailable = await follow()
  edge.fake.feed.emit('error', new EngineUnavailable('the log', 'is away'))
  await unavailable.ended
  expect(unavailable.text()).toContain('"reason":"unavailable"')
})

test('a server that stops sends a last event, also without followers', async () => {
  await followUnread()
  fill()
  const feed = await follow()
  await edge.server.close(20_000)
  await feed.ended
  expect(feed.text().slice(-200)).toContain('"reason":"stopping"')
})

test('who takes nothing is held for a while, told why it is over, and let go', async () => {
  const slow = await followUnread()
  await followUnread()
  fill()
  // Only two more would fit beside one of them.
  await follow()
  await vi.waitFor(() => follow(), LONG)
  let text = ''
  slow.on('data', (chunk: Buffer) => (text = (text + chunk.toString()).slice(-1_000)))
  slow.resume()
  await vi.waitFor(() => expect(text.slice(-200)).toContain('"reason":"too_slow"'), LONG)
  await vi.waitFor(
    () =>
      expect(edge.log.map(({ message }) => message)).toContain('the caller left in the middle of the answer'),
    LONG,
  )
})

const MANY = 400
/** More than any buffer between here and a reader holds. */
const fill = () => {
  const filler = 'x'.repeat(100_000)
  for (let number = 1; number <= MANY; number++) tell({ events: [event(number, { filler })] })
}

/** A feed whose reader takes nothing after its head. */
async function followUnread(): Promise<Socket> {
  const { port } = edge.server.address
  const socket = connect(port, '127.0.0.1')
  socket.on('error', () => undefined)
  onTestFinished(() => void socket.destroy())
  await once(socket, 'connect')
  socket.write(`GET /v1/events HTTP/1.1\r\nHost: localhost\r\nX-Api-Key: ${KEY}\r\n\r\n`)
  await once(socket, 'data')
  socket.pause()
  return socket
}
