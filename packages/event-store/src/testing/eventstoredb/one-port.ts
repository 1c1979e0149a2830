import { once } from 'node:events'
import type { Server as HttpServer } from 'node:http'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'

/** What a connection of HTTP/2 begins with. */
const PREFACE = Buffer.from('PRI * HTTP/2.0')

/**
 * One port, as the real server has it, for calls by gRPC, which go on to a port of their own, and for HTTP. Small packets go on
 * at once, as between the two ends: else each append waits 40 ms, for the acknowledgement of what was sent before it.
 */
export async function listenOnOnePort(port: number, grpcPort: number, http: HttpServer) {
  const sockets = new Set<Socket>()
  const kept = (socket: Socket): Socket => {
    sockets.add(socket)
    return socket.on('error', () => socket.destroy()).on('close', () => sockets.delete(socket))
  }
  const server = createServer({ noDelay: true }, (socket) => {
    kept(socket).once('data', (first: Buffer) => {
      socket.pause()
      socket.unshift(first)
      if (!PREFACE.equals(first.subarray(0, PREFACE.length))) {
        http.emit('connection', socket)
        socket.resume()
        return
      }
      const upstream = kept(connect({ port: grpcPort, host: '127.0.0.1', noDelay: true }))
      socket.pipe(upstream).pipe(socket)
      socket.on('close', () => upstream.destroy())
      upstream.on('close', () => socket.destroy())
    })
  }).listen(port, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    /** Breaks all connections off. */
    async stop(): Promise<void> {
      const closed = once(server, 'close')
      server.close()
      for (const socket of sockets) socket.destroy()
      await closed
    },
  }
}
