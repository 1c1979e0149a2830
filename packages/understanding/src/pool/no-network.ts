import dgram from 'node:dgram'
import dns from 'node:dns'
import net from 'node:net'

/**
 * Closes the network to whatever runs later in this process: the permission model of Node 24 does not. It keeps a
 * parser from following a link in a file; it is no wall against native code.
 */
export function closeNetwork(): void {
  const refuse = (): never => {
    throw new Error('extractors have no network')
  }
  net.Socket.prototype.connect = refuse
  net.Server.prototype.listen = refuse
  dgram.Socket.prototype.bind = refuse
  dgram.Socket.prototype.send = refuse
  dns.lookup = refuse as unknown as typeof dns.lookup
  globalThis.fetch = refuse
  Reflect.deleteProperty(globalThis, 'WebSocket')
  Reflect.deleteProperty(globalThis, 'EventSource')
}
