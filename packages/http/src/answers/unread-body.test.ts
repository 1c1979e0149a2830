import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { RawClient } from '../testing/raw.ts'
import { limitUnreadBody, type UnreadBodyLimits } from './unread-body.ts'

let server: Server
/** Bytes that arrived on the connection. */
let received = (): number => 0
/** Answers at once, whatever is still to come. */
async function listen(limits: UnreadBodyLimits): Promise<RawClient> {
  server = createServer((request, response) => {
    received = () => request.socket.bytesRead
    limitUnreadBody(request, response, limits)
    response.end('no')
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const client = new RawClient((server.address() as AddressInfo).port)
  return client.write('POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 100000000\r\n\r\n')
}
afterEach(() => {
  server.closeAllConnections()
  server.close()
})

describe('a body that is not needed any more', () => {
  it('is taken in for a while after the answer', async () => {
    const client = await listen({ bytes: 10_000_000, milliseconds: 60_000 })
    expect((await client.answer()).status).toBe(200)
    client.write(Buffer.alloc(1_000_000))
    await vi.waitFor(() => expect(received()).toBeGreaterThan(1_000_000), { timeout: 30_000 })
    expect(client.socket.destroyed).toBe(false)
    client.close()
  })

  it.each([
    ['bytes', { bytes: 100_000, milliseconds: 60_000 }],
    ['time', { bytes: 1_000_000_000, milliseconds: 1_000 }],
  ])('is cut off when it takes too much %s', async (_what, limits) => {
    const client = await listen(limits)
    const closed = once(client.socket, 'close')
    expect((await client.answer()).body).toBe('no')
    client.write(Buffer.alloc(1_000_000))
    await closed
    expect(client.socket.destroyed).toBe(true)
  })
})
