import { EventStoreDBClient } from '@eventstore/db-client'
import { InvalidAddress } from '../errors.ts'

type Credentials = NonNullable<Parameters<EventStoreDBClient['readAll']>[0]>['credentials']

/** One client on the server or cluster, and what each of its calls is made with. */
export interface Connection {
  client: EventStoreDBClient
  /**
   * Credentials name the plain append call, which keeps to a deadline and shares nothing with other clients. The leader
   * alone is asked: a follower may not have yet what was appended a moment ago.
   */
  call: { credentials: Credentials; requiresLeader: true }
  /** The address as people may see it, without credentials. */
  name: string
  close(): Promise<void>
}

/** Nothing is sent yet. @throws InvalidAddress */
export function connect(url: string): Connection {
  const [, scheme, user, host] = /^(esdb(?:\+discover)?:\/\/)(?:([^@/]*)@)?([^?]*)/.exec(url.trim()) ?? []
  if (!scheme || !host) throw new InvalidAddress('it must read like esdb://user:password@host:2113')
  const isPlain = /[?&]tls=false\b/i.test(url)
  const credentials = credentialsIn(user)
  if (!isPlain && credentials === null)
    throw new InvalidAddress('it must name a user, esdb://user:password@host:2113, or end with ?tls=false')
  const client = clientOf(url)
  return {
    client,
    // Without TLS the client sends none, whatever they are.
    call: { credentials: credentials ?? { username: 'nobody', password: 'nothing' }, requiresLeader: true },
    name: scheme + host.replace(/\/+$/, ''),
    async close() {
      await client.dispose()
      // The client ends its calls, and leaves its channel open.
      const closing = client['getChannel']().then((channel) => channel.close())
      await closing.catch(() => undefined)
    },
  }
}

function clientOf(url: string): EventStoreDBClient {
  try {
    return EventStoreDBClient.connectionString(url)
  } catch (error) {
    // What it says repeats the address, and with it the password.
    const option = /tls|file|option|keepAlive/i.test((error as Error).message) ? 'one of its options' : 'it'
    throw new InvalidAddress(`${option} cannot be read`)
  }
}

function credentialsIn(user: string | undefined): Credentials | null {
  const [, username, password] = /^([^:]+):(.+)$/.exec(user ?? '') ?? []
  if (username === undefined || password === undefined) return null
  return { username: decodeURIComponent(username), password: decodeURIComponent(password) }
}
