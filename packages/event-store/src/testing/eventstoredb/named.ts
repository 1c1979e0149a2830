import { readFileSync } from 'node:fs'
import type { EngineTls } from '@medialog/application/ports'

/** The authority of the server that the environment names, as the service reads it; null where it names none. */
export function tlsOfEventStoreDb(): EngineTls | null {
  const path = process.env['EVENTSTOREDB_TLS_CA_FILE']
  return path ? { ca: { path, pem: readFileSync(path, 'utf8') }, identity: null, serverName: null } : null
}
