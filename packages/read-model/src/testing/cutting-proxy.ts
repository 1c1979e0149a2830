import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'

/** Stands between a client and a server, and has its connections fail. */
export interface CuttingProxy {
  url: string
  /** Ends every connection, whatever is under way on it. */
  cut(): void
  /** Takes connections, or goes on with them, and lets nothing through until `resume`. */
  hang(): void
  /** Ends every connection, and takes none until `resume`. */
  refuse(): void
  resume(): void
  close(): Promise<void>
}

export async function startCuttingProxy(target: string): Promise<CuttingProxy> {
  const { hostname, port } = new URL(target)
  const sockets = new Set<Socket>()
  let hangs = false
  let refuses = false

  const keep = (socket: Socket): Socket => {
    sockets.add(socket)
    socket.on('error', () => socket.destroy())
    socket.on('close', () => sockets.delete(socket))
    if (hangs) socket.pause()
    return socket
  }
  const server = createServer((client) => {
    if (refuses) {
      client.destroy()
      return
    }
    const upstream = connect(Number(port), hostname)
    for (const [from, to] of [
      [keep(client), upstream],
      [keep(upstream), client],
    ] as const) {
      from.on('data', (bytes) => to.write(bytes))
      from.on('close', () => to.destroy())
    }
    if (hangs) for (const socket of [client, upstream]) socket.pause()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')

  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    cut() {
      for (const socket of sockets) socket.destroy()
    },
    hang() {
      hangs = true
      for (const socket of sockets) socket.pause()
    },
    refuse() {
      refuses = true
      for (const socket of sockets) socket.destroy()
    },
    resume() {
      hangs = refuses = false
      for (const socket of sockets) socket.resume()
    },
    async close() {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}
