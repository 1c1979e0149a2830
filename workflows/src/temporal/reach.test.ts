import { once } from 'node:events'
import { createServer, type AddressInfo } from 'node:net'
import { expect, test } from 'vitest'
import { requireTemporal } from './reach.ts'

test('where nothing listens, it is said why', async () => {
  await expect(requireTemporal({ address: '127.0.0.1:1' })).rejects.toThrow(
    /^Temporal at 127\.0\.0\.1:1, namespace default: .*ECONNREFUSED/,
  )
})

test('one that says nothing is not waited for', async () => {
  const server = createServer((socket) => socket.on('error', () => undefined)).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = `127.0.0.1:${(server.address() as AddressInfo).port}`
  await expect(requireTemporal({ address })).rejects.toThrow(/: nothing there answered in time$/)
  server.close()
})
