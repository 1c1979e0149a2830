import { randomUUID } from 'node:crypto'
import { S3mini } from 's3mini'
import type { Bucket, BucketSettings } from '../s3/bucket.ts'

/** How a test's own client reaches the bucket: as the service would, and beside it. */
export interface NewBucket {
  settings: BucketSettings
  client: S3mini
}

/** An empty bucket of the test's own, with the keys of the environment: any do where the server asks for none. */
export async function newBucket(url: string): Promise<NewBucket> {
  const settings: BucketSettings = {
    url,
    bucket: `medialog-test-${randomUUID()}`,
    region: process.env['S3_REGION'] ?? 'eu-central-1',
    accessKeyId: process.env['S3_ACCESS_KEY_ID'] ?? 'test-key-id',
    secretAccessKey: process.env['S3_SECRET_ACCESS_KEY'] ?? 'test-secret-key',
  }
  const client = new S3mini({ ...settings, endpoint: `${url}/${settings.bucket}` })
  if (!(await client.createBucket())) throw new Error(`no bucket could be made at ${url}`)
  return { settings, client }
}

export async function keysOf(bucket: Bucket, prefix = ''): Promise<string[]> {
  const keys: string[] = []
  for await (const { key } of bucket.list(prefix)) keys.push(key)
  return keys
}
