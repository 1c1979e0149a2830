import { EventStoreDBClient } from '@eventstore/db-client'
import type { EngineTls } from '@medialog/application/ports'
import { InvalidAddress } from '../errors.ts'
import { adminOf, type Admin } from './admin.ts'

type Credentials = NonNullable<Parameters<EventStoreDBClient['readAll']>[0]>['credentials']

/** One client on the server or cluster, and what each of its calls is made with. */
export interface Connection {
  client: EventStoreDBClient
  /**
   * Credentials name the plain append call, which keeps to a deadline and shares nothing with other clients. The leader
   * alone is asked: a follower may not have yet what was appended a moment ago.
   */
  call: { credentials: Credentials; requiresLeader: true }
  /** The server's HTTP side, of nodes by `host:port`. */
  admin: Admin
  /** The nodes that the address names. */
  hosts: readonly string[]
  /** The address as people may see it, without credentials. */
  name: string
  /** Whether it is the connection that was asked of last, and is up: a server may have come back as another one. */
  isSteady(): Promise<boolean>
  close(): Promise<void>
}

type Channel = Awaited<ReturnType<EventStoreDBClient['getChannel']>>
/** `READY` among gRPC's states of a channel. */
const CONNECTED = 2

/** As the client takes addresses apart: scheme, user and password, hosts. */
const ADDRESS = /^(esdb(?:\+discover)?:\/\/)(?:([^:]+):([^@]+)@)?([^?]+)/

const DEFAULT_PORT = 2113

/** Nothing is sent yet. @throws InvalidAddress */
export function connect(url: string, tls: EngineTls | null = null): Connection {
  const [, scheme, user, password, hosts] = ADDRESS.exec(url.trim()) ?? []
  if (!scheme || !hosts) throw new InvalidAddress('it must read like esdb://user:password@host:2113')
  const isPlain = /[?&]tls=false\b/i.test(url)
  if (!isPlain && (!user || !password))
    throw new InvalidAddress('it must name a user, esdb://user:password@host:2113, or end with ?tls=false')
  const client = clientOf(url, tls)
  // Without TLS it sends none, whatever they are.
  const credentials = { username: decoded(user ?? 'nobody'), password: decoded(password ?? 'nothing') }
  const bare = hosts.replace(/\/+$/, '')
  let asked: Channel | null = null
  return {
    client,
    admin: adminOf(isPlain ? null : { ...credentials, ca: tls?.ca?.pem ?? null }),
    hosts: bare.split(',').map((host) => (/:\d+$/.test(host) ? host : `${host}:${DEFAULT_PORT}`)),
    call: { credentials, requiresLeader: true },
    name: scheme + bare,
    async isSteady() {
      const channel: Channel = await client['getChannel']()
      const isSteady = channel === asked && (channel.getConnectivityState(false) as number) === CONNECTED
      asked = channel
      return isSteady
    },
    async close() {
      await client.dispose()
      // The client ends its calls, and leaves its channel open. Where it has none it looks for a node first.
      client['getChannel']().then(
        (channel) => channel.close(),
        () => undefined,
      )
    },
  }
}

/** @throws InvalidAddress */
function clientOf(url: string, tls: EngineTls | null): EventStoreDBClient {
  // The client reads the file itself, and knows of it by its address alone.
  const ca = tls?.ca ? `${url.includes('?') ? '&' : '?'}tlsCAFile=${encodeURIComponent(tls.ca.path)}` : ''
  try {
    const client = EventStoreDBClient.connectionString(url.trim() + ca)
    // The client does not wait for it, and where no node of a cluster answers it fails, unnoticed.
    const handleError = client['handleError']
    client['handleError'] = (...failed) => handleError(...failed).catch(() => undefined)
    return client
  } catch {
    // What it says repeats the address, and with it the password.
    throw new InvalidAddress('it cannot be read, or names an option or a file that is not there')
  }
}

/** @throws InvalidAddress */
function decoded(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    throw new InvalidAddress('its user or password is not percent-encoded as in an address')
  }
}
