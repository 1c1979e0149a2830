import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'

/** A way to a server on which everything can get lost, in both directions, while all connections seem to live. */
export interface BlackHole extends AsyncDisposable {
  port: number
  /** From now on nothing gets through. */
  swallow(): void
  /** New connections get through; those from before are reset. */
  release(): void
}

export async function openBlackHole(to: number): Promise<BlackHole> {
  const sockets = new Set<Socket>()
  let swallowing = false
  const server = createServer({ noDelay: true }, (near) => {
    const far = connect({ port: to, host: '127.0.0.1', noDelay: true })
    for (const [from, into] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(from)
      from.on('data', (bytes) => swallowing || into.write(bytes))
      from.on('error', () => undefined)
      from.on('close', () => {
        sockets.delete(from)
        into.destroy()
      })
    }
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const cut = () => {
    for (const socket of sockets) socket.destroy()
  }
  return {
    port: (server.address() as AddressInfo).port,
    swallow() {
      swallowing = true
    },
    release() {
      swallowing = false
      cut()
    },
    async [Symbol.asyncDispose]() {
      cut()
      server.close()
      await once(server, 'close')
    },
  }
}
