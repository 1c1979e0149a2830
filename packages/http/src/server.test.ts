import { once } from 'node:events'
import { describe, expect, it } from 'vitest'
import { OPERATOR_TOKEN, startEdge } from './testing/edge.ts'
import { RawClient } from './testing/raw.ts'

/** Longer than a test may take: what waits for it fails. */
const FOR_EVER_MS = 600_000

describe('closing', () => {
  it('lets a running request finish, takes no new one, and keeps no connection', async () => {
    await using edge = await startEdge()
    const [asked, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    edge.application.health = async () => {
      asked.resolve()
      await released.promise
      return {
        status: 'operational',
        components: { api: 'operational', storage: 'operational', search: 'operational' },
        limitation: null,
        problems: [],
        readModels: [],
        providers: [],
        publishing: null,
        webhooks: null,
        pendingErasures: 0,
        room: null,
      }
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

  it('closes what does not finish when the grace is over', async () => {
    await using edge = await startEdge({ bodyTimeoutMs: FOR_EVER_MS })
    const asked = Promise.withResolvers<void>()
    const authenticate = edge.application.authenticate.bind(edge.application)
    edge.application.authenticate = async (key) => {
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

describe('starting', () => {
  it('fails where the port is taken', async () => {
    await using edge = await startEdge()
    const { startHttpServer } = await import('./server.ts')
    const { port } = edge.server.address
    await expect(startHttpServer(edge.app, { host: '127.0.0.1', port })).rejects.toThrow('EADDRINUSE')
  })
})
