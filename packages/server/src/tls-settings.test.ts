import { writeFileSync } from 'node:fs'
import { makeAuthority, type Authority, type Certificate } from '@medialog/test/harness/certificates'
import { afterAll, expect, test } from 'vitest'
import { InvalidConfiguration, readConfig, type Config } from './config.ts'

const authority: Authority = makeAuthority()
const client: Certificate = authority.issue()
const other: Certificate = authority.issue()
const noPem = `${authority.path}.none`
writeFileSync(noPem, 'never-to-be-shown')
afterAll(() => authority[Symbol.dispose]())

const KAFKA = { KAFKA_BROKERS: 'a:9092', KAFKA_TLS: 'true' }
const TEMPORAL = { TEMPORAL_ADDRESS: 'a:7233', TEMPORAL_TLS: 'true' }
const ELASTICSEARCH = { ELASTICSEARCH_URL: 'https://a:9200' }
const REDIS = { REDIS_URL: 'rediss://a:6379' }
const EVENTSTOREDB = { EVENTSTOREDB_URL: 'esdb://ann:never-to-be-shown@a:2113' }

const ENGINES: [string, NodeJS.ProcessEnv, (config: Config) => unknown][] = [
  ['KAFKA', KAFKA, ({ kafka }) => kafka!.tls],
  ['TEMPORAL', TEMPORAL, ({ temporal }) => temporal!.tls],
  ['ELASTICSEARCH', ELASTICSEARCH, ({ elasticsearch }) => elasticsearch!.tls],
  ['REDIS', REDIS, ({ redis }) => redis!.tls],
]

test.each(ENGINES)('%s names authority, identity and name alike', (engine, environment, tlsOf) => {
  const tls = tlsOf(
    readConfig({
      ...environment,
      [`${engine}_TLS_CA_FILE`]: authority.path,
      [`${engine}_TLS_CERT_FILE`]: client.path,
      [`${engine}_TLS_KEY_FILE`]: client.keyPath,
      [`${engine}_TLS_SERVER_NAME`]: 'engine.internal',
    }),
  )
  expect(tls).toEqual({
    ca: { path: authority.path, pem: authority.pem },
    identity: {
      certificate: { path: client.path, pem: client.pem },
      key: { path: client.keyPath, pem: client.key },
    },
    serverName: 'engine.internal',
  })
})

test('EventStoreDB has an authority, which its address does not name as well', () => {
  const { eventStoreDb } = readConfig({ ...EVENTSTOREDB, EVENTSTOREDB_TLS_CA_FILE: authority.path })
  expect(eventStoreDb!.tls).toEqual({
    ca: { path: authority.path, pem: authority.pem },
    identity: null,
    serverName: null,
  })
})

test('keys for Temporal and Elasticsearch', () => {
  expect(readConfig({ ...TEMPORAL, TEMPORAL_API_KEY: 'key' }).temporal).toMatchObject({ apiKey: 'key' })
  expect(readConfig({ ...ELASTICSEARCH, ELASTICSEARCH_API_KEY: 'key' }).elasticsearch).toMatchObject({
    apiKey: 'key',
  })
})

const SECRET = 'never-to-be-shown'

test.each<[NodeJS.ProcessEnv, string]>([
  [{ ...KAFKA, KAFKA_TLS_CA_FILE: '/nowhere/ca.pem' }, 'KAFKA_TLS_CA_FILE: the file cannot be read: ENOENT'],
  [{ ...REDIS, REDIS_TLS_CA_FILE: '/tmp' }, 'REDIS_TLS_CA_FILE: the file cannot be read: EISDIR'],
  [{ ...TEMPORAL, TEMPORAL_TLS_CA_FILE: noPem }, `${noPem} does not hold a certificate in PEM form.`],
  [
    { ...ELASTICSEARCH, ELASTICSEARCH_TLS_CA_FILE: client.keyPath },
    `${client.keyPath} does not hold a certificate in PEM form.`,
  ],
  [
    { ...KAFKA, KAFKA_TLS_CERT_FILE: client.path, KAFKA_TLS_KEY_FILE: client.path },
    `${client.path} does not hold a private key without a passphrase in PEM form.`,
  ],
  [{ ...KAFKA, KAFKA_TLS_CERT_FILE: client.path }, 'KAFKA_TLS_CERT_FILE and KAFKA_TLS_KEY_FILE go together'],
  [
    { ...KAFKA, KAFKA_TLS_CERT_FILE: client.path, KAFKA_TLS_KEY_FILE: other.keyPath },
    'KAFKA_TLS_KEY_FILE is not the key of the certificate in KAFKA_TLS_CERT_FILE.',
  ],
  [{ ...KAFKA, KAFKA_TLS_CAFILE: authority.path }, 'KAFKA_TLS_CAFILE is set, but TLS is configured by'],
  [
    { ...EVENTSTOREDB, EVENTSTOREDB_TLS_SERVER_NAME: 'a' },
    'EVENTSTOREDB_TLS_SERVER_NAME is set, but TLS is configured by EVENTSTOREDB_TLS_CA_FILE only.',
  ],
  [
    { EVENTSTOREDB_URL: `esdb://ann:${SECRET}@a:2113?tlsCAFile=/ca.pem` },
    'EVENTSTOREDB_URL names tlsCAFile: name the authority in EVENTSTOREDB_TLS_CA_FILE.',
  ],
  [{ ...KAFKA, KAFKA_TLS: 'false', KAFKA_TLS_CA_FILE: authority.path }, 'only with KAFKA_TLS=true'],
  [
    { EVENTSTOREDB_URL: 'esdb://a:2113?tls=false', EVENTSTOREDB_TLS_CA_FILE: authority.path },
    'EVENTSTOREDB_TLS_CA_FILE means something only with an EVENTSTOREDB_URL',
  ],
  [
    { REDIS_URL: 'redis://a:6379', REDIS_TLS_CA_FILE: authority.path },
    'a REDIS_URL that begins with rediss:',
  ],
  [
    { ELASTICSEARCH_URL: 'http://a:9200', ELASTICSEARCH_TLS_CA_FILE: authority.path },
    'an ELASTICSEARCH_URL that begins with https:',
  ],
  [{ TEMPORAL_ADDRESS: 'a:7233', TEMPORAL_API_KEY: SECRET }, 'TEMPORAL_API_KEY is sent over TLS only'],
  [{ TEMPORAL_API_KEY: SECRET }, 'mean something only with TEMPORAL_ADDRESS'],
  [{ ...TEMPORAL, TEMPORAL_API_KEY: `${SECRET}\n` }, 'TEMPORAL_API_KEY must be visible ASCII'],
  [{ ELASTICSEARCH_API_KEY: SECRET }, 'means something only with ELASTICSEARCH_URL'],
  [{ ELASTICSEARCH_URL: `https://ann:${SECRET}@a:9200`, ELASTICSEARCH_API_KEY: SECRET }, 'each say who asks'],
])('%j stops the start with one line that names no secret', (environment, line) => {
  expect(() => readConfig(environment)).toThrow(InvalidConfiguration)
  expect(() => readConfig(environment)).toThrow(line)
  expect(() => readConfig(environment)).toThrow(/^[^\n]+$/)
  expect(() => readConfig(environment)).not.toThrow(SECRET)
})
