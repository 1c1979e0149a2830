import type { EngineTls } from '@medialog/application'
import { z } from 'zod'
import { address, headerKey, integer, InvalidConfiguration, parsed } from './config-values.ts'
import { readTlsSettings, tlsVariables } from './tls-settings.ts'

export interface ElasticsearchSettings {
  /** May hold a user and a password. */
  url: string
  /** What the names of its indices begin with. */
  prefix: string
  /** Of each build of the catalog that is made from now on. */
  catalogShards: number
  /** Null: without TLS. */
  tls: EngineTls | null
  /** Null: it is not asked for, or the address names a user. A secret. */
  apiKey: string | null
}

const Settings = z.object({
  ELASTICSEARCH_URL: address(/^https?:$/, 'https://elastic.example:9200').optional(),
  ELASTICSEARCH_PREFIX: z
    .string()
    .regex(
      /^[a-z0-9][a-z0-9_-]{0,63}$/,
      'must be at most 64 lower-case letters, digits, - and _, the first a letter or digit',
    )
    .default('medialog-'),
  ELASTICSEARCH_CATALOG_SHARDS: integer(1, 64).default(1),
  ELASTICSEARCH_API_KEY: headerKey.optional(),
})

export const ELASTICSEARCH_VARIABLES = [...Object.keys(Settings.shape), ...tlsVariables('ELASTICSEARCH')]

/** Null where no server is named. @throws InvalidConfiguration */
export function readElasticsearchSettings(
  environment: Record<string, string | undefined>,
): ElasticsearchSettings | null {
  const settings = parsed(Settings, environment)
  const { ELASTICSEARCH_URL: url, ELASTICSEARCH_API_KEY: apiKey = null } = settings
  const named = url === undefined ? null : new URL(url)
  const tls = readTlsSettings(environment, {
    engine: 'ELASTICSEARCH',
    isOn: named?.protocol === 'https:',
    turnedOnBy: 'an ELASTICSEARCH_URL that begins with https:',
  })
  if (url === undefined) {
    if (apiKey !== null)
      throw new InvalidConfiguration('ELASTICSEARCH_API_KEY means something only with ELASTICSEARCH_URL.')
    return null
  }
  if (apiKey !== null && named!.username !== '')
    throw new InvalidConfiguration(
      'ELASTICSEARCH_API_KEY and a user in ELASTICSEARCH_URL each say who asks: take one of them out.',
    )
  const { ELASTICSEARCH_PREFIX: prefix, ELASTICSEARCH_CATALOG_SHARDS: catalogShards } = settings
  return { url, prefix, catalogShards, tls, apiKey }
}
