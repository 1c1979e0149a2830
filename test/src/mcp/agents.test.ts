import { StreamableHTTPClientTransport, type Transport } from '@modelcontextprotocol/client'
import { expect, test } from 'vitest'
import { connected, CURRENT, describeAgents, testTools } from './suite.ts'

const OVER_HTTP = (url: string, apiKey: string): Transport =>
  new StreamableHTTPClientTransport(new URL('/mcp', url), {
    requestInit: { headers: { Authorization: `Bearer ${apiKey}` } },
  })

describeAgents('over HTTP', OVER_HTTP, (service) => {
  testTools(service, OVER_HTTP)

  test('a file of this machine has no path for an agent that may be elsewhere', async () => {
    const { apiKey } = await service().openAccount('read', 'write')
    await using agent = await connected(OVER_HTTP(service().url, apiKey), CURRENT)
    expect((await agent.callTool({ name: 'upload', arguments: { path: '/etc/hosts' } })).isError).toBe(true)
  })

  test('without a key that may read, and to pages of elsewhere, there is nothing at /mcp', async () => {
    const { apiKey, keyFor } = await service().openAccount('write')
    const PING = { jsonrpc: '2.0', id: 1, method: 'ping' }
    const post = (headers: Record<string, string>, message: object = PING) =>
      fetch(`${service().url}/mcp`, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          ...headers,
        },
        body: JSON.stringify(message),
      })
    const unknown = await post({})
    expect([unknown.status, unknown.headers.get('www-authenticate')]).toEqual([
      401,
      'Bearer realm="Medialog"',
    ])
    expect(await unknown.text()).toContain('Authorization: Bearer')
    expect((await post({ 'x-api-key': apiKey })).status).toBe(403)
    expect((await fetch(`${service().url}/mcp`)).status).toBe(405)
    const reader = { 'x-api-key': await keyFor('read') }
    expect((await post(reader)).status).toBe(200)
    expect((await post(reader, [PING, PING])).status).toBe(400)
    expect((await post({ ...reader, origin: 'http://localhost:3000' })).status).toBe(200)
    expect((await post({ ...reader, origin: 'https://elsewhere.example' })).status).toBe(403)
  })
})
