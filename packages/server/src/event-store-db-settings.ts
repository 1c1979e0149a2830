import type { EngineTls } from '@medialog/application'
import { z } from 'zod'
import { InvalidConfiguration, parsed, text } from './config-values.ts'
import { readTlsSettings, tlsVariables } from './tls-settings.ts'

/** The server that the log is on. */
export interface EventStoreDbSettings {
  /** May hold a user and a password. */
  url: string
  /** What names of the log's streams begin with. */
  prefix: string
  /** Null: without TLS. */
  tls: EngineTls | null
}

const Settings = z.object({
  EVENTSTOREDB_URL: text.optional(),
  /** A stream's name goes on with a category and `-`: with one of its own the server would read other categories. */
  EVENTSTOREDB_STREAM_PREFIX: z
    .string()
    .regex(/^[a-z0-9_]{1,40}\.$/i, "must read like 'medialog.': letters, digits or _, and a full stop")
    .default('medialog.'),
})

/** Its client knows of nothing else. */
const TLS_PARTS = ['CA_FILE'] as const

export const EVENTSTOREDB_VARIABLES = [
  ...Object.keys(Settings.shape),
  ...tlsVariables('EVENTSTOREDB', TLS_PARTS),
]

/** Null where no server is named. @throws InvalidConfiguration */
export function readEventStoreDbSettings(
  environment: Record<string, string | undefined>,
): EventStoreDbSettings | null {
  const { EVENTSTOREDB_URL: url, EVENTSTOREDB_STREAM_PREFIX: prefix } = parsed(Settings, environment)
  const [option] = /(?:tlsCAFile|userCertFile|userKeyFile)/i.exec(url?.split('?')[1] ?? '') ?? []
  if (option)
    throw new InvalidConfiguration(
      `EVENTSTOREDB_URL names ${option}: name the authority in EVENTSTOREDB_TLS_CA_FILE.`,
    )
  const tls = readTlsSettings(environment, {
    engine: 'EVENTSTOREDB',
    isOn: url !== undefined && !/[?&]tls=false\b/i.test(url),
    turnedOnBy: 'an EVENTSTOREDB_URL that is not without TLS',
    parts: TLS_PARTS,
  })
  return url === undefined ? null : { url, prefix, tls }
}
