import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createSecureServer } from 'node:http2'
import type { AddressInfo, Socket } from 'node:net'
import { describeWithEngine } from '@medialog/test/engines'
import { makeAuthority, type Certificate } from '@medialog/test/harness/certificates'
import { startProxy } from '@medialog/test/harness/proxy'
import { Connection } from '@temporalio/client'
import { NativeConnection } from '@temporalio/worker'
import { expect, test, vi } from 'vitest'
import { startWork } from '../testing/service.ts'
import { openTemporalOrchestrator } from './orchestrator.ts'
import { serverOptions } from './server-options.ts'

vi.setConfig({ testTimeout: 120_000 })
const LONG = { timeout: 60_000, interval: 50 }

const identityOf = ({ path, pem, key, keyPath }: Certificate) => ({
  certificate: { path, pem },
  key: { path: keyPath, pem: key },
})

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
  const tls = { ca: authority, identity: null, serverName: null }
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

describeWithEngine('temporal', 'Temporal over TLS', (address) => {
  test('uploads are carried where it asks for a certificate, by the name that its own is for', async () => {
    await using stack = new AsyncDisposableStack()
    const authority = stack.use(makeAuthority())
    const { pem: cert, key } = authority.issue('temporal.internal')
    const asksBack = { cert, key, ca: authority.pem, requestCert: true, rejectUnauthorized: true }
    const proxy = stack.adopt(await startProxy(address, asksBack), (it) => it.cut())
    const tls = { ca: authority, identity: identityOf(authority.issue()), serverName: 'temporal.internal' }
    const work = await startWork()
    const open = (of: typeof tls | (Omit<typeof tls, 'identity'> & { identity: null })) =>
      openTemporalOrchestrator(work.ports, {
        address: `localhost:${proxy.port}`,
        tls: of,
        taskQueue: `test-${randomUUID()}`,
        onTrouble: () => undefined,
      })
    const orchestrator = open(tls)
    await orchestrator.recover()
    await vi.waitFor(async () => expect(await orchestrator.trouble()).toBeNull(), LONG)
    await orchestrator.drain(AbortSignal.timeout(30_000))
    const unknown = open({ ...tls, identity: null })
    expect(await unknown.trouble()).toMatch(/^Temporal does not answer/)
    await unknown.drain(AbortSignal.timeout(30_000))
  })
})
