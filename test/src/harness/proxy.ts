import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net'

/** Stands between a client and a server, and can be away. */
export interface Proxy {
  /** `host:port` to connect to, whether it is there or not. */
  readonly address: string
  /** Ends every connection and takes no more. */
  cut(): Promise<void>
  mend(): Promise<void>
}

/** A proxy on a port of its own to `target` (`host:port`), which it keeps while it is cut. */
export async function startProxy(target: string): Promise<Proxy> {
  const [host, port] = target.split(':') as [string, string]
  const sockets = new Set<Socket>()
  let server: Server | null = null
  let ownPort = 0

  const pair = (client: Socket): void => {
    // One that was on its way when the line was cut.
    if (!server) {
      client.destroy()
      return
    }
    const upstream = connect(Number(port), host)
    for (const [socket, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(socket)
      socket.on('error', () => other.destroy())
      socket.on('close', () => {
        sockets.delete(socket)
        other.destroy()
      })
      socket.pipe(other)
    }
  }

  async function mend(): Promise<void> {
    if (server) return
    server = createServer(pair).listen(ownPort, '127.0.0.1')
    await once(server, 'listening')
    ownPort = (server.address() as AddressInfo).port
  }

  await mend()
  return {
    address: `127.0.0.1:${ownPort}`,
    mend,
    async cut() {
      const closing = server
      server = null
      for (const socket of sockets) socket.destroy()
      if (closing) await new Promise((resolve) => closing.close(resolve))
    },
  }
}
