import net, { type AddressInfo, type Socket } from 'node:net'
import { once } from 'node:events'

/** A way to a broker that can be cut off. */
export interface Proxy {
  readonly port: number
  /** Ends every connection, and takes no more. */
  cut(): void
  /** Keeps every connection, and passes nothing on: answers of what was asked do not arrive. */
  stall(): void
  restore(): Promise<void>
  close(): void
}

export async function startProxy(host: string, port: number): Promise<Proxy> {
  const sockets = new Set<Socket>()
  let stalled = false
  const server = net.createServer((client) => {
    const broker = new net.Socket().connect(port, host)
    for (const [from, to] of [
      [client, broker],
      [broker, client],
    ] as const) {
      sockets.add(from)
      from.on('data', (chunk) => void (stalled || to.write(chunk)))
      from.on('error', () => undefined)
      from.on('close', () => {
        sockets.delete(from)
        to.destroy()
      })
    }
  })
  const listen = async (at: number) => {
    server.listen(at, '127.0.0.1')
    await once(server, 'listening')
    return (server.address() as AddressInfo).port
  }
  const own = await listen(0)
  const destroyAll = () => {
    for (const socket of sockets) socket.destroy()
  }
  const cut = () => {
    server.close()
    destroyAll()
  }
  return {
    port: own,
    cut,
    stall: () => void (stalled = true),
    async restore() {
      // What was held back is lost: whoever sent it has to start anew.
      destroyAll()
      stalled = false
      if (!server.listening) await listen(own)
    },
    close: cut,
  }
}
