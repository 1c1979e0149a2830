import type { LookupAddress } from 'node:dns'
import { Resolver } from 'node:dns/promises'
import { readFile } from 'node:fs/promises'
import { isIP } from 'node:net'

/** All addresses of a name, IPv4 first; rejects without any. */
export type ResolveName = (name: string) => Promise<LookupAddress[]>

export interface NameOptions {
  hostsFile?: string
  /** `address:port` of nameservers; the system's unless told, as they are at each look-up. */
  servers?: readonly string[]
  /** How long one of them may be silent before it is asked once more, or the next. */
  timeoutMs?: number
}

/**
 * Names as accounts choose them, whose nameservers may be as slow as somebody likes. `dns.lookup` would hold one of the
 * process's few threads for as long as they are, and with it every other look-up, those of engines too: so DNS is asked
 * without threads, for the name as it stands (no search domains), after the hosts file.
 */
export function createNameResolver({
  hostsFile = '/etc/hosts',
  servers,
  timeoutMs = 2_000,
}: NameOptions = {}): ResolveName {
  return async (name) => {
    const listed = addressesIn(await readFile(hostsFile, 'utf8').catch(() => ''), name)
    if (listed.length > 0) return listed
    // A new one each time knows of nameservers that were changed meanwhile.
    const resolver = new Resolver({ timeout: timeoutMs, tries: 2 })
    if (servers) resolver.setServers(servers)
    const [ipv4, ipv6] = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)])
    const found = [ipv4, ipv6].flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []))
    if (found.length === 0 && ipv4.status === 'rejected') throw ipv4.reason
    return found.map(lookedUp)
  }
}

/** What a hosts file says of a name. */
function addressesIn(hosts: string, name: string): LookupAddress[] {
  const wanted = name.toLowerCase().replace(/\.$/, '')
  return hosts
    .split('\n')
    .map((line) => line.replace(/#.*/, '').trim().toLowerCase().split(/\s+/))
    .filter(([address = '', ...names]) => isIP(address) !== 0 && names.includes(wanted))
    .map(([address]) => lookedUp(address!))
    .sort((a, b) => a.family - b.family)
}

const lookedUp = (address: string): LookupAddress => ({ address, family: isIP(address) })
