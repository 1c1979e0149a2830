import { BlockList, isIP, type LookupFunction } from 'node:net'
import { callbackify } from 'node:util'
import { createNameResolver, type ResolveName } from './host-names.ts'

/** Where webhooks may be sent to, besides addresses of the public internet over https. */
export interface TargetSettings {
  /** `http:` too. */
  plainHttp: boolean
  /** Networks that are no part of the public internet, or not meant for everybody: `10.0.0.0/8`, `fd00::/8`. */
  networks: readonly string[]
}

/** What the operator allows of targets that others name. */
export interface Targets {
  /** Why nothing may be sent there, for people; null: it may, as far as is known before its name is resolved. */
  refusalOf(url: URL): string | null
  /** For connections: hands out only addresses that it has checked, so that no second look-up says something else. */
  lookup: LookupFunction
}

/** The name has no address, or only such as nothing may be sent to. */
export class ForbiddenAddress extends Error {
  override name = 'ForbiddenAddress'
}

/** IPv4 that is not for everybody to reach (IANA's registry of special purposes), multicast and what is reserved. */
const SPECIAL_IPV4 = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
]
/** All else of IPv6 is local, mapped, translated or not given out. */
const GLOBAL_IPV6 = ['2000::/3']
/** Of that: protocols and tunnels to IPv4, documentation. */
const SPECIAL_IPV6 = ['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20']

/**
 * Where clouds tell a machine its credentials and settings: AWS, Azure, Google, Oracle, Alibaba, Scaleway. Most lie in
 * the networks above; no network that the operator names opens them.
 */
const METADATA = [
  '168.63.129.16/32',
  '169.254.0.0/16',
  '100.100.100.200/32',
  '192.0.0.192/32',
  'fd00:ec2::23/128',
  'fd00:ec2::254/128',
  'fd20:ce::254/128',
  'fd00:42::42/128',
]

const familyOf = (version: number): 'ipv4' | 'ipv6' => (version === 4 ? 'ipv4' : 'ipv6')

const special = blockList([...SPECIAL_IPV4, ...SPECIAL_IPV6])
const globalIpv6 = blockList(GLOBAL_IPV6)
const metadata = blockList(METADATA)

/** @throws Error for what is no network */
export function blockList(networks: readonly string[]): BlockList {
  const list = new BlockList()
  for (const network of networks) {
    const [, address = '', prefix] = /^([^/]+)\/(\d{1,3})$/.exec(network) ?? []
    const version = isIP(address)
    const most = version === 4 ? 32 : 128
    if (version === 0 || Number(prefix) > most) throw new Error(`'${network}' is no network like 10.0.0.0/8`)
    list.addSubnet(address, Number(prefix), familyOf(version))
  }
  return list
}

export function createTargets(
  { plainHttp, networks }: TargetSettings,
  resolve: ResolveName = createNameResolver(),
): Targets {
  const allowed = blockList(networks)
  const mayReach = (address: string): boolean => {
    const family = familyOf(isIP(address))
    if (metadata.check(address, family)) return false
    if (allowed.check(address, family)) return true
    return !special.check(address, family) && (family === 'ipv4' || globalIpv6.check(address, family))
  }

  const reachable = callbackify(async (name: string) => {
    // The answer does not reveal whether there is such a name inside either.
    const found = await resolve(name).catch(() => [])
    return found.filter(({ address }) => mayReach(address))
  })

  return {
    refusalOf(url) {
      if (url.protocol !== 'https:' && !(plainHttp && url.protocol === 'http:'))
        return plainHttp ? 'it must begin with https: or http:' : 'it must begin with https:'
      if (url.username !== '' || url.password !== '') return 'it must hold no user and no password'
      const host = url.hostname.replace(/^\[(.*)\]$/, '$1')
      if (isIP(host) !== 0 && !mayReach(host)) return 'it is an address that is not public'
      return null
    },

    lookup(hostname, options, callback) {
      reachable(hostname, (_, addresses) => {
        const [first] = addresses
        if (!first) callback(new ForbiddenAddress('its name leads to no public address'), '', 0)
        else if (options.all) callback(null, addresses)
        else callback(null, first.address, first.family)
      })
    },
  }
}
