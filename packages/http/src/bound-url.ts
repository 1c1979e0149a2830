import type { AddressInfo } from 'node:net'

/** For a service on every address of the machine: the one that clients on it use. */
const LOOPBACK: ReadonlyMap<string, string> = new Map(Object.entries({ '0.0.0.0': '127.0.0.1', '::': '::1' }))

/** The address of a server that listens there, for who is on the same machine. */
export function boundUrl({ address, family, port }: AddressInfo): string {
  const host = LOOPBACK.get(address) ?? address
  return `http://${family === 'IPv6' ? `[${host}]` : host}:${port}`
}
