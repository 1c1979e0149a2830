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

/** As the client takes addresses apart: scheme, user and password, hosts. */
const ADDRESS = /^(esdb(?:\+discover)?:\/\/)(?:([^:]+):([^@]+)@)?([^?]+)/

/** Nothing is sent yet. @throws InvalidAddress */
export function connect(url: string): Connection {
  const [, scheme, user, password, hosts] = ADDRESS.exec(url.trim()) ?? []
  if (!scheme || !hosts) throw new InvalidAddress('it must read like esdb://user:password@host:2113')
  const isPlain = /[?&]tls=false\b/i.test(url)
  if (!isPlain && (!user || !password))
    throw new InvalidAddress('it must name a user, esdb://user:password@host:2113, or end with ?tls=false')
  const { client, credentials } = clientOf(url, user, password)
  return {
    client,
    call: { credentials, requiresLeader: true },
    name: scheme + hosts.replace(/\/+$/, ''),
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

function clientOf(
  url: string,
  user = 'nobody',
  password = 'nothing',
): { client: EventStoreDBClient; credentials: Credentials } {
  try {
    const client = EventStoreDBClient.connectionString(url)
    // The client does not wait for it, and where no node of a cluster answers it fails: nobody would hear of that.
    const handleError = client['handleError']
    client['handleError'] = (...failed) => handleError(...failed).catch(() => undefined)
    // Without TLS it sends none, whatever they are.
    const credentials = { username: decodeURIComponent(user), password: decodeURIComponent(password) }
    return { client, credentials }
  } catch {
    // What it says repeats the address, and with it the password.
    throw new InvalidAddress('it cannot be read, or names an option or a file that is not there')
  }
}
