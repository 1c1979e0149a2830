import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { startReceiver, status, type Receiver } from '../testing/receiver.ts'
import { createSender, type Sender } from './sender.ts'
import { createTargets } from './targets.ts'

const LOCAL = { plainHttp: true, networks: ['127.0.0.0/8', '::1/128'] }
const request = { headers: { 'webhook-id': 'a' }, body: '{"id":"a"}' }
const never = new AbortController().signal

let receiver: Receiver
let sender: Sender
beforeAll(async () => {
  receiver = await startReceiver()
  sender = createSender({ targets: createTargets(LOCAL), timeoutMs: 500, agent: 'Medialog/test' })
})
afterAll(async () => {
  sender.close()
  await receiver[Symbol.asyncDispose]()
})
beforeEach(() => {
  receiver.received.length = 0
  receiver.answers(status(204))
})

const send = (url = receiver.url, signal = never) => sender.send(new URL(url), request, signal)

test('a request is sent as it is, and a success is one', async () => {
  expect(await send()).toEqual({ status: 204, error: null, retryAfterMs: null })
  expect(receiver.received[0]).toMatchObject({
    body: request.body,
    headers: {
      'webhook-id': 'a',
      'content-type': 'application/cloudevents+json; charset=utf-8',
      'user-agent': 'Medialog/test',
    },
  })
})

test.each([500, 429, 404, 410])('%i is a failure', async (code) => {
  receiver.answers(status(code, { 'retry-after': '7' }))
  expect(await send()).toEqual({ status: code, error: `${code} was answered`, retryAfterMs: 7_000 })
})

test('a redirect is not followed', async () => {
  receiver.answers(status(307, { location: receiver.url }))
  expect(await send()).toMatchObject({ status: 307, error: '307: redirects are not followed' })
  expect(receiver.received).toHaveLength(1)
})

test('who says nothing is given up', async () => {
  receiver.answers(() => undefined)
  expect(await send()).toEqual({ status: null, error: 'no answer within 0.5 s', retryAfterMs: null })
})

test('a cut connection is a failure', async () => {
  receiver.answers((response) => response.socket!.destroy())
  expect(await send()).toMatchObject({ status: null, error: 'socket hang up' })
})

test('who switches to another protocol has not taken it', async () => {
  receiver.answers((response) =>
    response.socket!.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n'),
  )
  expect(await send()).toEqual({
    status: null,
    error: 'the connection was closed without an answer',
    retryAfterMs: null,
  })
})

test('no more is read of an answer than a little, however long it is', async () => {
  let written = 0
  receiver.answers((response) => {
    response.writeHead(200)
    const more = () => {
      while (!response.destroyed && written < 1e9) {
        written += 65_536
        if (!response.write(Buffer.alloc(65_536))) return void response.once('drain', more)
      }
    }
    more()
  })
  expect(await send()).toMatchObject({ status: 200, error: null })
  expect(written).toBeLessThan(5e7)
})

test('a kept connection that the receiver closed meanwhile is no failure', async () => {
  receiver.answers((response) => {
    response.writeHead(204).end()
    // Without having said so.
    response.once('finish', () => setTimeout(() => response.socket?.destroy(), 1))
  })
  for (let turn = 0; turn < 20; turn++) expect(await send()).toMatchObject({ status: 204 })
})

test('what may not be reached is not, whatever its name', async () => {
  const strict = createSender({
    targets: createTargets({ plainHttp: true, networks: [] }),
    timeoutMs: 5_000,
    agent: 'a',
  })
  const { port } = new URL(receiver.url)
  const outcome = (host: string) => strict.send(new URL(`http://${host}:${port}/`), request, never)
  expect(await outcome('127.0.0.1')).toMatchObject({ error: 'it is an address that is not public' })
  expect(await outcome('localhost')).toMatchObject({ error: 'its name leads to no public address' })
  expect(receiver.received).toEqual([])
  strict.close()
})

test('it is cut off with its signal', async () => {
  receiver.answers(() => undefined)
  const stop = new AbortController()
  const sending = send(receiver.url, stop.signal)
  stop.abort()
  await expect(sending).rejects.toThrow('aborted')
})
