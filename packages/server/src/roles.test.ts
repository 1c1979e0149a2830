import { expect, test } from 'vitest'
import { readArguments } from './arguments.ts'
import { does, InvalidConfiguration, isShared, readConfig } from './config.ts'

const SHARED = {
  EVENTSTOREDB_URL: 'esdb://127.0.0.1:2113?tls=false',
  ELASTICSEARCH_URL: 'http://127.0.0.1:9200',
  TEMPORAL_ADDRESS: '127.0.0.1:7233',
  MEDIALOG_SHARED_DIR: '/srv/shared',
  MEDIALOG_OPERATOR_TOKEN: 'sixteen characters',
  KAFKA_BROKERS: '127.0.0.1:9092',
}
const without = (...names: string[]) =>
  Object.fromEntries(Object.entries(SHARED).filter(([name]) => !names.includes(name)))

test('a process is all of it and alone, unless it is told its roles', () => {
  expect(readArguments([])).toEqual({ roles: null, check: false, json: false, help: false })
  expect(readArguments(['--role', 'worker, api', '--check', '--json'])).toEqual({
    roles: ['api', 'worker'],
    check: true,
    json: true,
    help: false,
  })
  expect(readArguments(['--role=api', '--role', 'publisher']).roles).toEqual(['api', 'publisher'])
  const alone = readConfig({})
  for (const role of ['api', 'worker', 'projections', 'publisher'] as const)
    expect(does(alone, role)).toBe(true)
  const worker = readConfig(SHARED, ['worker'])
  expect([does(worker, 'worker'), does(worker, 'api')]).toEqual([true, false])
})

test.each([
  [['--role', 'api,queen'], /--role must be of api, worker, projections, publisher, not 'queen'/],
  [['--role', ''], /--role must be of/],
  [['--role'], /known are --role <roles>, --check, --json and --help/],
  [['--rol', 'api'], /Unknown option '--rol': known are/],
  [['serve'], /known are/],
  [['--json'], /--json goes with --check/],
])('arguments %j are refused with one line', (words, line) => {
  expect(() => readArguments(words)).toThrow(InvalidConfiguration)
  expect(() => readArguments(words)).toThrow(line)
})

test('a role says all that it lacks at once, and asks for nothing that it does not need', () => {
  expect(() => readConfig({}, ['api', 'worker'])).toThrow(
    'Not set: EVENTSTOREDB_URL; ELASTICSEARCH_URL; TEMPORAL_ADDRESS; S3_URL with its bucket and keys (or MEDIALOG_SHARED_DIR); MEDIALOG_OPERATOR_TOKEN. (EventStoreDB is the log',
  )
  expect(() => readConfig(without('TEMPORAL_ADDRESS'), ['api'])).toThrow(
    /Not set: TEMPORAL_ADDRESS\. \(through Temporal .*\) Without --role one process does it all/,
  )
  expect(() => readConfig(without('KAFKA_BROKERS'), ['publisher'])).toThrow(
    /Not set: KAFKA_BROKERS \(or MEDIALOG_WEBHOOK_KEY\)\. Without/,
  )
  const key = { MEDIALOG_WEBHOOK_KEY: 'of thirty-two characters and more' }
  expect(() => readConfig({ ...without('KAFKA_BROKERS'), ...key }, ['publisher'])).not.toThrow()
  expect(() => readConfig(without('MEDIALOG_OPERATOR_TOKEN'), ['worker'])).not.toThrow()
  expect(() => readConfig(without('TEMPORAL_ADDRESS'), ['projections'])).not.toThrow()
  const { EVENTSTOREDB_URL, KAFKA_BROKERS, ELASTICSEARCH_URL } = SHARED
  expect(() =>
    readConfig({ EVENTSTOREDB_URL, KAFKA_BROKERS, ELASTICSEARCH_URL }, ['publisher']),
  ).not.toThrow()
  expect(() => readConfig({ EVENTSTOREDB_URL, KAFKA_BROKERS }, ['publisher'])).toThrow(
    /Not set: ELASTICSEARCH_URL\. \(Elasticsearch/,
  )
})

test('an empty setting is one that is not there', () => {
  expect(() => readConfig({ ...SHARED, TEMPORAL_ADDRESS: '' }, ['worker'])).toThrow(/TEMPORAL_ADDRESS/)
})

test('files that processes share are in one place', () => {
  expect(readConfig(SHARED).sharedFolder).toBe('/srv/shared')
  const bucket = { S3_URL: 'http://s3', S3_BUCKET: 'media', S3_ACCESS_KEY_ID: 'a', S3_SECRET_ACCESS_KEY: 'b' }
  expect(() => readConfig({ ...SHARED, ...bucket })).toThrow(/S3_URL and MEDIALOG_SHARED_DIR each say/)
})

test('without an API there is always a port for health and metrics', () => {
  expect(readConfig({}).metricsPort).toBeNull()
  expect(readConfig(SHARED, ['api', 'worker']).metricsPort).toBeNull()
  expect(readConfig(SHARED, ['worker']).metricsPort).toBe(9464)
  expect(readConfig({ ...SHARED, METRICS_PORT: '8080' }, ['worker']).metricsPort).toBe(8080)
})

test('other processes may be at a log when both it and its work are on servers', () => {
  expect(isShared(readConfig(SHARED))).toBe(true)
  expect(isShared(readConfig(without('TEMPORAL_ADDRESS')))).toBe(false)
  expect(isShared(readConfig(without('EVENTSTOREDB_URL')))).toBe(false)
  expect(readConfig({}).longestRequestMs).toBe(900_000)
})
