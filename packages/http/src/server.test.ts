import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { OPERATOR_TOKEN, startEdge } from './testing/edge.ts'
import { RawClient } from './testing/raw.ts'

describe('closing', () => {
  it('lets a running request finish, takes no new one, and keeps no connection', async () => {
    await using edge = await startEdge()
    let release = (): void => {}
    edge.application.health = async () => {
      await new Promise<void>((resolve) => (release = resolve))
      return {
        status: 'operational',
        components: { api: 'operational', storage: 'operational', search: 'operational' },
        problems: [],
        readModels: [],
        pendingErasures: 0,
      }
    }
    await edge.fetch('/v1/media')
    const running = edge.fetch('/v1/status')
    await sleep(50)
    const closing = edge.server.close(5_000)
    await expect(fetch(`${edge.server.url}/healthz`)).rejects.toThrow('fetch failed')
    release()
    expect((await running).status).toBe(200)
    const started = performance.now()
    await closing
    expect(performance.now() - started).toBeLessThan(1_000)
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
    const closing = edge.server.close(5_000)
    expect(await events.text()).toContain('"status":"running"')
    const before = performance.now()
    await closing
    expect(performance.now() - before).toBeLessThan(1_000)
  })

  it('closes what does not finish when the grace is over', async () => {
    await using edge = await startEdge()
    const client = new RawClient(edge.server.address.port)
    client.write(
      'POST /v1/search HTTP/1.1\r\nHost: x\r\nX-Api-Key: mlk_all\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{',
    )
    await sleep(50)
    const started = performance.now()
    await edge.server.close(100)
    expect(performance.now() - started).toBeLessThan(1_000)
    client.close()
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
