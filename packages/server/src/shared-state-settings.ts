import { resolve } from 'node:path'
import type { EngineTls } from '@medialog/application'
import type { BucketSettings } from '@medialog/artifacts'
import { z } from 'zod'
import { address, bareHttpAddress, headerKey, InvalidConfiguration, parsed, text } from './config-values.ts'
import { readTlsSettings, tlsVariables } from './tls-settings.ts'

export interface RedisSettings {
  /** Of Redis or Valkey; may hold a password. */
  url: string
  /** Null: without TLS. */
  tls: EngineTls | null
}

/** What several processes share besides the log. Null: this machine's files and memory. */
export interface SharedStateSettings {
  bucket: BucketSettings | null
  /** Folder that takes the data folder's place for files that processes share. */
  sharedFolder: string | null
  /** Null: this process counts for itself. */
  redis: RedisSettings | null
}

const storageUrl = bareHttpAddress(
  'https://s3.eu-central-1.amazonaws.com',
  'keys belong into S3_ACCESS_KEY_ID and S3_SECRET_ACCESS_KEY',
)

const redisUrl = address(/^rediss?:$/, 'redis://127.0.0.1:6379').refine(
  (value) => /^(?:\/\d{0,4})?$/.test(URL.parse(value)?.pathname ?? ''),
  'must have nothing but the number of a database for a path',
)

const Settings = z.object({
  S3_URL: storageUrl.optional(),
  S3_BUCKET: z
    .string()
    .regex(/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/, 'must be the name of a bucket')
    .optional(),
  S3_REGION: text.default('us-east-1'),
  S3_ACCESS_KEY_ID: headerKey.optional(),
  S3_SECRET_ACCESS_KEY: headerKey.optional(),
  REDIS_URL: redisUrl.optional(),
  MEDIALOG_SHARED_DIR: text.optional(),
})

export const SHARED_STATE_VARIABLES = [...Object.keys(Settings.shape), ...tlsVariables('REDIS')]

/** @throws InvalidConfiguration */
export function readSharedStateSettings(
  environment: Record<string, string | undefined>,
): SharedStateSettings {
  const known = Object.keys(Settings.shape).filter((name) => name.startsWith('S3_'))
  const other = Object.keys(environment).find((name) => name.startsWith('S3_') && !known.includes(name))
  if (other !== undefined)
    throw new InvalidConfiguration(`${other} is set, but object storage knows ${known.join(', ')} only.`)
  const settings = parsed(Settings, environment)
  const { MEDIALOG_SHARED_DIR: folder, REDIS_URL: url } = settings
  const bucket = bucketOf(settings)
  if (bucket && folder !== undefined)
    throw new InvalidConfiguration(
      'S3_URL and MEDIALOG_SHARED_DIR each say where files that processes share are: unset one of them.',
    )
  return {
    bucket,
    sharedFolder: folder === undefined ? null : resolve(folder),
    redis: redisOf(environment, url),
  }
}

function redisOf(
  environment: Record<string, string | undefined>,
  url: string | undefined,
): RedisSettings | null {
  const tls = readTlsSettings(environment, {
    engine: 'REDIS',
    isOn: url?.startsWith('rediss:') ?? false,
    turnedOnBy: 'a REDIS_URL that begins with rediss:',
  })
  return url === undefined ? null : { url, tls }
}

function bucketOf(settings: z.output<typeof Settings>): BucketSettings | null {
  const {
    S3_URL: url,
    S3_BUCKET: bucket,
    S3_REGION: region,
    S3_ACCESS_KEY_ID: accessKeyId,
    S3_SECRET_ACCESS_KEY: secretAccessKey,
  } = settings
  if ([url, bucket, accessKeyId, secretAccessKey].every((setting) => setting === undefined)) return null
  if (!url || !bucket || !accessKeyId || !secretAccessKey)
    throw new InvalidConfiguration(
      'S3_URL, S3_BUCKET, S3_ACCESS_KEY_ID and S3_SECRET_ACCESS_KEY go together: set all of them or none.',
    )
  return { url, bucket, region, accessKeyId, secretAccessKey }
}
