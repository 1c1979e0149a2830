import type { Client } from '@elastic/elasticsearch'
import { failureOf, statusOf } from './connection.ts'

/** What it takes to keep the read models, and nothing beyond. */
const CLUSTER = ['manage_index_templates'] as const
const INDICES = ['all'] as const

/**
 * Answers the server's version; null where the user may not know it.
 * @throws EngineUnavailable where it does not answer, or refuses the user; Error where the user may not do what it takes
 */
export async function requireElasticsearch(client: Client, prefix: string): Promise<string | null> {
  try {
    const version = await versionOf(client)
    const missing = await missingPrivileges(client, prefix)
    if (missing.length > 0) throw new Error(`the user or key lacks the privileges ${missing.join(', ')}`)
    return version
  } catch (error) {
    throw failureOf(error)
  }
}

async function versionOf(client: Client): Promise<string | null> {
  try {
    return (await client.info()).version.number
  } catch (error) {
    // It needs the privilege to monitor the cluster.
    if (statusOf(error) === 403) return null
    throw error
  }
}

async function missingPrivileges(client: Client, prefix: string): Promise<string[]> {
  const names = `${prefix}*`
  try {
    const { cluster, index } = await client.security.hasPrivileges({
      cluster: [...CLUSTER],
      index: [{ names, privileges: [...INDICES] }],
    })
    return [
      ...CLUSTER.filter((privilege) => !cluster[privilege]),
      ...INDICES.filter((privilege) => !index[names]?.[privilege]).map(
        (privilege) => `${privilege} on ${names}`,
      ),
    ]
  } catch (error) {
    // A server without security knows no privileges.
    if (statusOf(error) === 400) return []
    throw error
  }
}
