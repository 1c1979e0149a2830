import { expect, test } from 'vitest'
import { InvalidConfiguration, readConfig } from './config.ts'

const BUCKET = {
  S3_URL: 'https://s3.eu-central-1.amazonaws.com',
  S3_BUCKET: 'media',
  S3_ACCESS_KEY_ID: 'AKIA',
  S3_SECRET_ACCESS_KEY: 'never-to-be-shown',
}

const sharedIn = (environment: Record<string, string>) => {
  const { bucket, redis } = readConfig(environment)
  return { bucket, redis }
}

test('nothing is shared unless it is said', () => {
  expect(sharedIn({})).toEqual({ bucket: null, redis: null })
  // A region alone is what other programs of the machine may call theirs.
  expect(sharedIn({ S3_REGION: 'eu-central-1' })).toEqual({ bucket: null, redis: null })
})

test('a bucket and a server of limits', () => {
  expect(sharedIn({ ...BUCKET, REDIS_URL: 'rediss://user:word@cache:6380/2' })).toEqual({
    bucket: {
      url: 'https://s3.eu-central-1.amazonaws.com',
      bucket: 'media',
      region: 'us-east-1',
      accessKeyId: 'AKIA',
      secretAccessKey: 'never-to-be-shown',
    },
    redis: {
      url: 'rediss://user:word@cache:6380/2',
      tls: { ca: null, identity: null, serverName: null },
    },
  })
  expect(sharedIn({ ...BUCKET, S3_REGION: 'auto' }).bucket?.region).toBe('auto')
})

test.each([
  [{ S3_BUCKET: 'media' }, 'go together'],
  [{ S3_SECRET_ACCESS_KEY: 'never-to-be-shown' }, 'go together'],
  [{ ...BUCKET, S3_URL: 's3://media' }, 'S3_URL must be an address'],
  [{ ...BUCKET, S3_URL: 'https://a:never-to-be-shown@host' }, 'S3_URL must hold no user'],
  [{ ...BUCKET, S3_BUCKET: 'media/../other' }, 'S3_BUCKET must be the name'],
  [{ ...BUCKET, S3_SECRET_ACCESS_KEY: 'never-to-be-shown\n' }, 'must be visible ASCII'],
  [{ REDIS_URL: 'http://:never-to-be-shown@cache' }, 'REDIS_URL must be an address'],
  [{ REDIS_URL: 'redis://:never-to-be-shown@cache/media' }, 'REDIS_URL must have nothing but the number'],
  [{ S3_ENDPOINT: 'media' }, 'S3_ENDPOINT is set, but object storage knows S3_URL, S3_BUCKET'],
])('%j is refused without showing a key', (environment, why) => {
  const read = () => readConfig(environment)
  expect(read).toThrow(InvalidConfiguration)
  expect(read).toThrow(why)
  expect(read).not.toThrow('never-to-be-shown')
})
