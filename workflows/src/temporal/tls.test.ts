import { once } from 'node:events'
import { createSecureServer } from 'node:http2'
import type { AddressInfo, Socket } from 'node:net'
import { makeAuthority, type Certificate } from '@medialog/test/harness/certificates'
import { Connection } from '@temporalio/client'
import { NativeConnection } from '@temporalio/worker'
import { expect, test, vi } from 'vitest'
import { serverOptions } from './server-options.ts'

vi.setConfig({ testTimeout: 120_000 })

/** Answers every call with a refusal, and says who asked. */
async function startListener({ pem: cert, key }: Certificate) {
  const asked: (string | undefined)[] = []
  const sockets = new Set<Socket>()
  const server = createSecureServer({ cert, key }, ({ headers, stream }) => {
    asked.push(headers.authorization)
    stream.respond(
      { ':status': 200, 'content-type': 'application/grpc', 'grpc-status': '16' },
      { endStream: true },
    )
  })
    .on('connection', (socket: Socket) => sockets.add(socket))
    .listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    address: `localhost:${(server.address() as AddressInfo).port}`,
    asked,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}

test('an API key goes with every call of clients and workers, over TLS to whom they trust alone', async () => {
  await using stack = new AsyncDisposableStack()
  const [authority, stranger] = [stack.use(makeAuthority()), stack.use(makeAuthority())]
  const { address, asked } = stack.use(await startListener(authority.issue('localhost')))
  const tls = { ca: stranger.andThen(authority), identity: null, serverName: null }
  const connection = Connection.lazy(serverOptions({ address, tls, apiKey: 'a-key' }))
  const ask = (of: Connection) =>
    of.withDeadline(Date.now() + 30_000, () => of.workflowService.getSystemInfo({}))
  await expect(ask(connection)).rejects.toThrow('UNAUTHENTICATED')
  await connection.close()
  await expect(NativeConnection.connect(serverOptions({ address, tls, apiKey: 'a-key' }))).rejects.toThrow(
    'valid authentication',
  )
  expect(asked.length).toBeGreaterThanOrEqual(2)
  expect(new Set(asked)).toEqual(new Set(['Bearer a-key']))
  const deceived = serverOptions({ address, tls: { ...tls, ca: stranger }, apiKey: 'a-key' })
  const before = asked.length
  await expect(NativeConnection.connect(deceived)).rejects.toThrow('InvalidCertificate')
  expect(asked).toHaveLength(before)
})
