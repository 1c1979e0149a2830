import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net'
import { createServer as createTlsServer, type TlsOptions } from 'node:tls'

/** Stands between clients and a server, and can be away. */
export interface Proxy {
  /** `host:port` to connect to, whether it is there or not. */
  readonly address: string
  readonly port: number
  /** Ends every connection, whatever is under way on it; new ones are taken. */
  drop(): void
  /** Ends every connection and takes no more until `mend`. */
  cut(): Promise<void>
  /** Keeps connections and takes new ones, but lets nothing through until `mend`: what was held back goes on then. */
  hang(): void
  mend(): Promise<void>
}

/**
 * A proxy on a port of its own to `target` (`host:port`), which it keeps while it is cut. Small packets go on at once. With `tls` it is spoken to over
 * TLS, whatever is spoken within, and passes on what it decrypts.
 */
export async function startProxy(target: string, tls: TlsOptions | null = null): Promise<Proxy> {
  const [host, port] = target.split(':') as [string, string]
  const sockets = new Set<Socket>()
  let server: Server | null = null
  let hangs = false
  let ownPort = 0

  const drop = (): void => {
    for (const socket of sockets) socket.destroy()
  }

  /** What is beneath a connection over TLS: one whose handshake fails is nothing else. */
  const keep = (socket: Socket): void => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
  }

  const pair = (client: Socket): void => {
    // One that was on its way when the line was cut.
    if (!server) {
      client.destroy()
      return
    }
    const upstream = connect({ port: Number(port), host, noDelay: true })
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
      socket.on('data', (bytes) => void other.write(bytes))
      socket.on('end', () => void other.end())
      if (hangs) socket.pause()
    }
  }

  async function mend(): Promise<void> {
    hangs = false
    for (const socket of sockets) socket.resume()
    if (server) return
    // A connection may close one way and go on the other.
    server = tls
      ? createTlsServer({ ALPNProtocols: ['h2', 'http/1.1'], noDelay: true, ...tls }, pair).on(
          'connection',
          keep,
        )
      : createServer({ allowHalfOpen: true, noDelay: true }, pair)
    server.listen(ownPort, '127.0.0.1')
    await once(server, 'listening')
    ownPort = (server.address() as AddressInfo).port
  }

  await mend()
  return {
    address: `127.0.0.1:${ownPort}`,
    port: ownPort,
    drop,
    mend,
    async cut() {
      const closing = server
      server = null
      drop()
      if (closing) await new Promise((resolve) => closing.close(resolve))
    },
    hang() {
      hangs = true
      for (const socket of sockets) socket.pause()
    },
  }
}
