import { InvalidConfiguration } from './config-values.ts'

/** What a process may be for. One that is told none is all of them, alone. */
export const ROLES = ['api', 'worker', 'projections', 'publisher'] as const
export type Role = (typeof ROLES)[number]

/** `api,worker`. @throws InvalidConfiguration */
export function readRoles(text: string): readonly Role[] {
  const named = text.split(',').map((name) => name.trim())
  const unknown = named.find((name) => !ROLES.includes(name as Role))
  if (unknown !== undefined)
    throw new InvalidConfiguration(`--role must be of ${ROLES.join(', ')}, not '${unknown}'.`)
  return ROLES.filter((role) => named.includes(role))
}

type Environment = Readonly<Record<string, string | undefined>>

const isShared = (set: Environment): boolean =>
  set['S3_URL'] !== undefined || set['MEDIALOG_SHARED_DIR'] !== undefined
const hasReceivers = (set: Environment): boolean =>
  set['KAFKA_BROKERS'] !== undefined || set['MEDIALOG_WEBHOOK_KEY'] !== undefined
const RECEIVERS = 'KAFKA_BROKERS (or MEDIALOG_WEBHOOK_KEY)'
const FILES = 'S3_URL with its bucket and keys (or MEDIALOG_SHARED_DIR)'

/** What each role has nowhere else: nothing that counts is in a folder of its own. */
const NEEDED: Record<Role, readonly string[]> = {
  api: ['EVENTSTOREDB_URL', 'ELASTICSEARCH_URL', 'TEMPORAL_ADDRESS', FILES, 'MEDIALOG_OPERATOR_TOKEN'],
  worker: ['EVENTSTOREDB_URL', 'ELASTICSEARCH_URL', 'TEMPORAL_ADDRESS', FILES],
  projections: ['EVENTSTOREDB_URL', 'ELASTICSEARCH_URL', FILES],
  // By the index the APIs hear how it is.
  publisher: ['EVENTSTOREDB_URL', 'ELASTICSEARCH_URL', RECEIVERS],
}

/** @throws InvalidConfiguration with all that is missing */
export function requireSettingsOf(roles: readonly Role[], set: Environment): void {
  const needed = new Set(roles.flatMap((role) => NEEDED[role]))
  const isMissing = (name: string): boolean => {
    if (name === FILES) return !isShared(set)
    return name === RECEIVERS ? !hasReceivers(set) : set[name] === undefined
  }
  const missing = [...needed].filter(isMissing)
  if (missing.length === 0) return
  const who =
    roles.length > 1 ? `the roles ${roles.join(', ')} share their` : `the role ${roles[0]} shares its`
  const reasons = Object.entries(WHY).flatMap(([name, why]) => (missing.includes(name) ? [why] : []))
  const why = reasons.length > 0 ? ` (${reasons.join('; ')})` : ''
  throw new InvalidConfiguration(
    `${who} engines with other processes. Not set: ${missing.join('; ')}.${why} Without --role one process does it all, with any of them or none: docs/processes.md.`,
  )
}

/** What processes cannot share without it. */
const WHY = {
  EVENTSTOREDB_URL: 'EventStoreDB is the log that all append to',
  ELASTICSEARCH_URL: 'Elasticsearch has the read models, which one process writes and all read',
  TEMPORAL_ADDRESS: 'through Temporal an API hands uploads to workers, and takes them up from one that died',
}
