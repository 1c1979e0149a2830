import { expect, test } from 'vitest'
import { InvalidConfiguration, readConfig } from './config.ts'

const KAFKA_BROKERS = 'broker-1:9092'
const read = (environment: NodeJS.ProcessEnv) => readConfig(environment).kafka

test('without a broker nothing is published, whatever other programs call their settings', () => {
  expect(read({})).toBeNull()
  expect(read({ KAFKA_BROKERS: '', KAFKA_PARTITIONS: 'many' })).toBeNull()
})

test('with a broker alone everything else has a default', () => {
  expect(read({ KAFKA_BROKERS: '127.0.0.1:9092, [::1]:9093' })).toEqual({
    brokers: ['127.0.0.1:9092', '[::1]:9093'],
    prefix: 'medialog',
    publisher: 'main',
    partitions: 6,
    replication: null,
    retentionMs: 30 * 86_400_000,
    tls: null,
    sasl: null,
  })
})

test('topics, and how to get to the broker, can be said', () => {
  const environment = {
    KAFKA_BROKERS,
    KAFKA_TOPIC_PREFIX: 'acme.media-memory',
    KAFKA_PUBLISHER: 'eu',
    KAFKA_PARTITIONS: '12',
    KAFKA_REPLICATION: '3',
    KAFKA_RETENTION_DAYS: '7',
    KAFKA_TLS: 'true',
    KAFKA_SASL_MECHANISM: 'scram-sha-512',
    KAFKA_SASL_USERNAME: 'medialog',
    KAFKA_SASL_PASSWORD: 'secret',
  }
  expect(read(environment)).toEqual({
    brokers: [KAFKA_BROKERS],
    prefix: 'acme.media-memory',
    publisher: 'eu',
    partitions: 12,
    replication: 3,
    retentionMs: 7 * 86_400_000,
    tls: { ca: null, identity: null, serverName: null },
    sasl: { mechanism: 'scram-sha-512', username: 'medialog', password: 'secret' },
  })
})

test.each<[NodeJS.ProcessEnv, string]>([
  [
    { KAFKA_BROKERS: 'broker-1' },
    "KAFKA_BROKERS must read like broker-1:9092,broker-2:9092, not 'broker-1'.",
  ],
  [{ KAFKA_BROKERS: 'a:1,,b:2' }, "KAFKA_BROKERS must read like broker-1:9092,broker-2:9092, not ''."],
  [{ KAFKA_BROKERS: 'kafka://a:1' }, 'KAFKA_BROKERS must read like'],
  [{ KAFKA_BROKERS, KAFKA_TOPIC_PREFIX: 'a b' }, 'KAFKA_TOPIC_PREFIX must be letters'],
  [{ KAFKA_BROKERS, KAFKA_PARTITIONS: '0' }, 'KAFKA_PARTITIONS must be at least 1.'],
  [{ KAFKA_BROKERS, KAFKA_TLS: 'yes' }, 'KAFKA_TLS must be true or false.'],
  [{ KAFKA_BROKERS, KAFKA_SASL_MECHANISM: 'magic' }, 'KAFKA_SASL_MECHANISM must be one of plain,'],
  [{ KAFKA_BROKERS, KAFKA_SASL_PASSWORD: 'secret' }, 'go together: set all of them or none.'],
])('%j stops the start with one line that names no secret', (environment, line) => {
  expect(() => read(environment)).toThrow(InvalidConfiguration)
  expect(() => read(environment)).toThrow(line)
  expect(() => read(environment)).not.toThrow('secret')
})
