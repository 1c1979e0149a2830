import { once } from 'node:events'
import { createServer, type ServerHttp2Session } from 'node:http2'
import type { AddressInfo } from 'node:net'
import { expect, test } from 'vitest'
import { serverOptions } from './server-options.ts'
import { TemporalServer } from './server.ts'

/** An answer without a field. */
const EMPTY = Buffer.alloc(5)
/** gRPC's UNAVAILABLE. */
const UNAVAILABLE = '14'

/**
 * A front end that answers, and of what is in its database only while `database.there`. A client that waits for a workflow's
 * end waits endlessly; the deadlines of clients are `held`.
 */
async function startFrontEnd() {
  const database = { there: true }
  const held: unknown[] = []
  let refused = 0
  const sessions = new Set<ServerHttp2Session>()
  const server = createServer()
    .on('session', (session) => sessions.add(session))
    .on('stream', (stream, { ':path': path, 'grpc-timeout': deadline }) => {
      if (path!.endsWith('/GetWorkflowExecutionHistory')) {
        held.push(deadline)
        return
      }
      const status = path!.endsWith('/GetSystemInfo') || database.there ? '0' : UNAVAILABLE
      if (status === UNAVAILABLE) refused++
      stream.respond({ ':status': 200, 'content-type': 'application/grpc' }, { waitForTrailers: true })
      stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': status }))
      stream.end(status === '0' ? EMPTY : undefined)
    })
    .listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    address: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    database,
    held,
    get refused() {
      return refused
    },
    async [Symbol.asyncDispose]() {
      for (const session of sessions) session.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}

const serverAt = (address: string): TemporalServer =>
  new TemporalServer({ to: serverOptions({ address }), namespace: 'default', taskQueue: 'medialog' })

test('a server whose database is unavailable does not answer, though its front end does', async () => {
  await using frontEnd = await startFrontEnd()
  const server = serverAt(frontEnd.address)
  try {
    expect(await server.silence(30_000)).toBeNull()
    frontEnd.database.there = false
    expect(await server.silence(500)).toMatch(/^Temporal does not answer: ./)
    frontEnd.database.there = true
    expect(await server.silence(30_000)).toBeNull()
  } finally {
    await server.close()
  }
})

test('what the server holds is asked for without a deadline, now and then, and waited for while it is worth it', async () => {
  await using frontEnd = await startFrontEnd()
  const server = serverAt(frontEnd.address)
  const { workflow } = server.client
  let looks = 0
  const look = async (): Promise<void> => {
    if (++looks === 20) throw new Error('the wait is over')
  }
  try {
    expect(await server.silence(30_000)).toBeNull()
    const waiting = server.untilAnswered(() => workflow.getHandle('one').result(), { everyMs: 50, look })
    await expect(waiting).rejects.toThrow('the wait is over')
    expect(frontEnd.held).toEqual([undefined, undefined])
    expect(await server.untilAnswered(async () => 'there', { everyMs: 60_000, look })).toBe('there')
  } finally {
    await server.close()
  }
})

test('a call that is to be tried again finds the connection closed, and is over', async () => {
  await using frontEnd = await startFrontEnd()
  const server = serverAt(frontEnd.address)
  expect(await server.silence(30_000)).toBeNull()
  frontEnd.database.there = false
  const asked = server.silence(30_000)
  // It was refused, and waits a tenth of a second and more until it is tried again.
  await expect.poll(() => frontEnd.refused).toBeGreaterThan(0)
  await server.close()
  expect(await asked).toContain('the connection is closed')
  expect(await server.silence()).toContain('the connection is closed')
})
