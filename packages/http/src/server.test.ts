import { once } from 'node:events'
import { describe, expect, it, test, vi } from 'vitest'
import { startHttpServer } from './server.ts'
import { METRICS_TOKEN, OPERATOR_TOKEN, refusal, startEdge } from './testing/edge.ts'
import { RawClient } from './testing/raw.ts'

/** Longer than a test may take: what waits for it fails. */
const FOR_EVER_MS = 600_000

describe('closing', () => {
  it('lets a running request finish, takes no new one, and keeps no connection', async () => {
    await using edge = await startEdge()
    const [asked, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const health = await edge.application.status.health()
    edge.application.status.health = async () => {
      asked.resolve()
      await released.promise
      return health
    }
    await edge.fetch('/v1/media')
    const running = edge.fetch('/v1/status')
    await asked.promise
    const closing = edge.server.close(FOR_EVER_MS)
    await expect(fetch(`${edge.server.url}/healthz`)).rejects.toThrow('fetch failed')
    released.resolve()
    expect((await running).status).toBe(200)
    await closing
  })

  it('ends event streams at once', async () => {
    await using edge = await startEdge()
    const started = await edge.admin('/admin/operations', {
      method: 'POST',
      json: { kind: 'projections-rebuild', name: 'catalog' },
    })
    const { data } = (await started.json()) as { data: { operation_id: string } }
    const events = await fetch(`${edge.server.url}/admin/operations/${data.operation_id}`, {
      headers: { 'x-operator-token': OPERATOR_TOKEN, accept: 'text/event-stream' },
    })
    const closing = edge.server.close(FOR_EVER_MS)
    expect(await events.text()).toContain('"status":"running"')
    await closing
  })

  it.each(['/v1/media', '/v1/batches', '/v1/ai/analyze'])(
    'answers with 503 for a file of %s that is not received when the grace is over',
    async (path) => {
      await using edge = await startEdge({ bodyTimeoutMs: FOR_EVER_MS })
      const staging = vi.spyOn(edge.staging, 'stage')
      const client = new RawClient(edge.server.address.port)
      client.write(
        `POST ${path} HTTP/1.1\r\nHost: x\r\nX-Api-Key: mlk_all\r\nContent-Type: multipart/form-data; boundary=b\r\nContent-Length: 5000\r\n\r\n--b\r\nContent-Disposition: form-data; name="file"; filename="note.txt"\r\n\r\nhello`,
      )
      await vi.waitFor(() => expect(staging).toHaveBeenCalled())
      const closing = edge.server.close(100)
      const { status, headers } = await client.answer()
      expect(status).toBe(503)
      expect(headers).toMatch(/\r\nRetry-After: \d+/)
      client.close()
      await closing
      expect(edge.staging.staged.size).toBe(0)
    },
  )

  it.each(['', 'GET /v1/media HTTP/1.1\r\nHost: x\r\n'])(
    'does not wait for a request of which %j came',
    async (sent) => {
      await using edge = await startEdge()
      const client = new RawClient(edge.server.address.port)
      const closed = once(client.socket, 'close')
      await client.write('GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n').answer()
      client.write(sent)
      const silent = new RawClient(edge.server.address.port).write(sent)
      const silentClosed = once(silent.socket, 'close')
      await edge.fetch('/healthz')
      await edge.server.close(FOR_EVER_MS)
      await Promise.all([closed, silentClosed])
      expect([client.socket.destroyed, silent.socket.destroyed]).toEqual([true, true])
    },
  )

  it('closes what does not finish when the grace is over', async () => {
    await using edge = await startEdge({ bodyTimeoutMs: FOR_EVER_MS })
    const asked = Promise.withResolvers<void>()
    const authenticate = edge.application.accounts.authenticate.bind(edge.application.accounts)
    edge.application.accounts.authenticate = async (key) => {
      asked.resolve()
      return authenticate(key)
    }
    const client = new RawClient(edge.server.address.port)
    const closed = once(client.socket, 'close')
    client.write(
      'POST /v1/search HTTP/1.1\r\nHost: x\r\nX-Api-Key: mlk_all\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{',
    )
    await asked.promise
    await edge.server.close(100)
    await closed
    expect(client.socket.destroyed).toBe(true)
  })
})

test('what is more connections than there may be is closed and told, and idle ones make room', async () => {
  await using edge = await startEdge()
  let refused = 0
  const server = await startHttpServer(edge.app, {
    host: '127.0.0.1',
    port: 0,
    most: 2,
    onRefused: () => refused++,
  })
  const clients = [1, 2].map(() => new RawClient(server.address.port))
  const get = 'GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n'
  for (const client of clients) expect((await client.write(get).answer()).status).toBe(200)
  const third = new RawClient(server.address.port)
  await once(third.socket, 'close')
  expect(refused).toBe(1)
  // Idle, they were closed for it.
  expect((await fetch(`${server.url}/healthz`)).status).toBe(200)
  await server.close(100)
})

describe('CONNECT', () => {
  it('ends with its refusal, whatever the caller does then', async () => {
    await using edge = await startEdge()
    const connect = 'CONNECT other.example:443 HTTP/1.1\r\nHost: other.example\r\n\r\n'
    const gone = new RawClient(edge.server.address.port).write(connect)
    gone.socket.resetAndDestroy()
    const patient = new RawClient(edge.server.address.port)
    const closed = once(patient.socket, 'close')
    patient.write(connect)
    const { status, headers } = await patient.answer()
    expect(status).toBe(405)
    expect(headers.split('\r\n')).toContain('Allow: DELETE, GET, HEAD, PATCH, POST, PUT')
    await closed
    expect((await edge.fetch('/healthz')).status).toBe(200)
  })
})

describe('the Host header', () => {
  it('is there once in HTTP/1.1, and never twice', async () => {
    await using edge = await startEdge()
    const statusOf = async (head: string): Promise<number> => {
      const client = new RawClient(edge.server.address.port).write(`${head}\r\n\r\n`)
      const { status } = await client.answer()
      client.close()
      return status
    }
    expect(await statusOf('GET /healthz HTTP/1.1\r\nHost: a')).toBe(200)
    expect(await statusOf('GET /healthz HTTP/1.1')).toBe(400)
    expect(await statusOf('GET /healthz HTTP/1.1\r\nHost: a\r\nhOST: b')).toBe(400)
    expect(await statusOf('GET /healthz HTTP/1.0\r\nHost: a\r\nHost: a')).toBe(400)
  })
})

describe('the operator’s side', () => {
  it('is not there for listeners that do not serve it', async () => {
    let admin = -1
    await using edge = await startEdge({ servesAdmin: (port) => port === admin })
    for (const path of ['/admin/accounts', '/admin/nothing', '/admin/'])
      expect((await edge.admin(path)).status).toBe(404)
    admin = edge.server.address.port
    expect((await edge.admin('/admin/accounts')).status).toBe(200)
    expect((await edge.fetch('/v1/media')).status).toBe(200)
  })

  it('looks at no token of an address that sent sixty wrong ones, until they are a minute old', async () => {
    await using edge = await startEdge()
    const withToken = (token: string) =>
      edge.fetch('/admin/accounts', { key: null, headers: { 'x-operator-token': token } })
    const metrics = (token: string) =>
      edge.fetch('/metrics', { key: null, headers: { authorization: `Bearer ${token}` } })
    // A request without a token guesses nothing.
    for (let tries = 0; tries < 70; tries++) expect((await edge.fetch('/admin/accounts')).status).toBe(401)
    for (let tries = 0; tries < 30; tries++)
      expect([(await withToken(`wrong-${tries}`)).status, (await metrics('wrong')).status]).toEqual([
        401, 401,
      ])
    const refused = await withToken(OPERATOR_TOKEN)
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
    expect(await refusal(refused)).toMatchObject({ status: 429, code: 'RATE_LIMIT_EXCEEDED' })
    expect((await metrics(METRICS_TOKEN)).status).toBe(429)
    expect((await edge.fetch('/v1/media')).status).toBe(200)
    edge.clock.time += 60_001
    expect((await withToken(OPERATOR_TOKEN)).status).toBe(200)
  })
})

describe('starting', () => {
  it('fails where the port is taken', async () => {
    await using edge = await startEdge()
    const { port } = edge.server.address
    await expect(startHttpServer(edge.app, { host: '127.0.0.1', port })).rejects.toThrow('EADDRINUSE')
  })
})
