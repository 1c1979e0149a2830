import { usd } from '@medialog/kernel'
import { expect, test } from 'vitest'
import { InvalidConfiguration, readConfig } from './config.ts'

test('prices that are not named keep their defaults', () => {
  const { prices } = readConfig({ MEDIALOG_PRICES: 'ADVANCED_SEARCH=0.025, MEDIA_ANALYSIS=1,BASIC_SEARCH=0' })
  expect(prices).toMatchObject({
    ADVANCED_SEARCH: usd('0.025'),
    MEDIA_ANALYSIS: usd('1'),
    BASIC_SEARCH: 0n,
    SIMILARITY_SEARCH: usd('0.01'),
    DOCUMENT_PROCESSING: usd('0.03'),
  })
  expect(readConfig({ MEDIALOG_PRICES: '' }).prices.ADVANCED_SEARCH).toBe(usd('0.01'))
})

test.each([
  'ADVANCED_SEARCH=cheap',
  'ADVANCED_SEARCH=-1',
  'SEARCH=1',
  'ADVANCED_SEARCH',
  'RAG_QUERY=0.0000000001',
  ',',
])('prices %s stop the start with one line', (MEDIALOG_PRICES) => {
  expect(() => readConfig({ MEDIALOG_PRICES })).toThrow(InvalidConfiguration)
  expect(() => readConfig({ MEDIALOG_PRICES })).toThrow(/^MEDIALOG_PRICES must read like [^\n]*$/)
})

test('a basic search is free', () => {
  expect(() => readConfig({ MEDIALOG_PRICES: 'BASIC_SEARCH=0.01' })).toThrow(
    'MEDIALOG_PRICES must leave BASIC_SEARCH at 0: a basic search is free',
  )
})

test('limits that are not named keep their defaults', () => {
  const { rateLimits, quotas } = readConfig({
    MEDIALOG_RATE_LIMITS: 'free=1, standard=600',
    MEDIALOG_QUOTAS: 'free=0',
  })
  expect(rateLimits).toEqual({ free: 1, standard: 600, enterprise: 6000 })
  expect(quotas).toMatchObject({ free: 0, standard: 1_000_000 })
})

test.each([
  ['free=0', "MEDIALOG_RATE_LIMITS must give every tier at least 1, not 'free=0'."],
  ['standard=600,free=00', "MEDIALOG_RATE_LIMITS must give every tier at least 1, not 'free=00'."],
  ['free=many', "MEDIALOG_RATE_LIMITS must read like free=60,standard=600, not 'free=many'."],
  ['gold=60', "MEDIALOG_RATE_LIMITS must read like free=60,standard=600, not 'gold=60'."],
  ['free=9999999999999999', /must read like free=60,standard=600/],
  ['free=-1', /must read like free=60,standard=600/],
])('rate limits %s stop the start with one line', (MEDIALOG_RATE_LIMITS, line) => {
  expect(() => readConfig({ MEDIALOG_RATE_LIMITS })).toThrow(InvalidConfiguration)
  expect(() => readConfig({ MEDIALOG_RATE_LIMITS })).toThrow(line)
})

test('no page of another origin is let in unless it is named', () => {
  expect(readConfig({}).corsOrigins).toEqual([])
  expect(
    readConfig({ MEDIALOG_CORS_ORIGINS: 'https://a.example, http://localhost:3000' }).corsOrigins,
  ).toEqual(['https://a.example', 'http://localhost:3000'])
  expect(readConfig({ MEDIALOG_CORS_ORIGINS: '*' }).corsOrigins).toEqual(['*'])
})

test.each(['https://a.example/', 'https://a.example/app', 'a.example', 'https://*.example', '*,', 'null'])(
  'origins that read %s stop the start with one line',
  (MEDIALOG_CORS_ORIGINS) => {
    expect(() => readConfig({ MEDIALOG_CORS_ORIGINS })).toThrow(
      /^MEDIALOG_CORS_ORIGINS must read like [^\n]*$/,
    )
  },
)

test('pictures are read in English, in the languages that are named, or not at all', () => {
  const languages = (MEDIALOG_OCR_LANGUAGES?: string) =>
    readConfig({ ...(MEDIALOG_OCR_LANGUAGES !== undefined && { MEDIALOG_OCR_LANGUAGES }) }).ocrLanguages
  expect(languages()).toEqual(['eng'])
  expect(languages('kor, eng,chi_sim,kor')).toEqual(['kor', 'eng', 'chi_sim'])
  expect(languages('none')).toEqual([])
  expect(readConfig({}).ocrDataFolder).toBeNull()
  expect(readConfig({ MEDIALOG_OCR_DATA_DIR: '/srv/tessdata' }).ocrDataFolder).toBe('/srv/tessdata')
})

test.each(['eng;kor', '../eng', 'eng,', 'none,eng', 'e'])(
  'languages %s stop the start',
  (MEDIALOG_OCR_LANGUAGES) => {
    expect(() => readConfig({ MEDIALOG_OCR_LANGUAGES })).toThrow(
      /^MEDIALOG_OCR_LANGUAGES must read like eng,kor [^\n]*$/,
    )
  },
)

test('the log is in the data folder unless a server is named', () => {
  expect(readConfig({}).eventStoreDb).toBeNull()
  const EVENTSTOREDB_URL = 'esdb://127.0.0.1:2113?tls=false'
  expect(readConfig({ EVENTSTOREDB_URL }).eventStoreDb).toEqual({
    url: EVENTSTOREDB_URL,
    prefix: 'medialog.',
    tls: null,
  })
  const staging = readConfig({ EVENTSTOREDB_URL, EVENTSTOREDB_STREAM_PREFIX: 'staging_2.' })
  expect(staging.eventStoreDb?.prefix).toBe('staging_2.')
})

test.each(['medialog', 'media-log.', '$medialog.', 'a b.', '.'])(
  'names of streams cannot begin with %s',
  (EVENTSTOREDB_STREAM_PREFIX) => {
    expect(() => readConfig({ EVENTSTOREDB_STREAM_PREFIX })).toThrow(
      /^EVENTSTOREDB_STREAM_PREFIX must read like 'medialog\.'[^\n]*$/,
    )
  },
)

test('the read models are in Elasticsearch where its address is given, under a prefix', () => {
  expect(readConfig({}).elasticsearch).toBeNull()
  expect(readConfig({ ELASTICSEARCH_URL: 'https://elastic:secret@search:9200' }).elasticsearch).toEqual({
    url: 'https://elastic:secret@search:9200',
    prefix: 'medialog-',
    catalogShards: 1,
    tls: { ca: null, identity: null, serverName: null },
    apiKey: null,
  })
  expect(() => readConfig({ ELASTICSEARCH_URL: 'search:9200,secret' })).toThrow(
    /^ELASTICSEARCH_URL must be an address like https:[^\n]*$/,
  )
  expect(() => readConfig({ ELASTICSEARCH_URL: 'search:9200,secret' })).not.toThrow(/secret/)
  expect(() => readConfig({ ELASTICSEARCH_PREFIX: 'Media*' })).toThrow(/lower-case letters/)
  expect(() => readConfig({ ELASTICSEARCH_CATALOG_SHARDS: '0' })).toThrow(/ELASTICSEARCH_CATALOG_SHARDS/)
})

test('uploads and batches are carried by this process, or by the Temporal server that is named', () => {
  const temporal = (environment: NodeJS.ProcessEnv) => readConfig(environment).temporal
  expect(temporal({ TEMPORAL_ADDRESS: '' })).toBeNull()
  expect(temporal({ TEMPORAL_ADDRESS: 'temporal.internal:7233' })).toEqual({
    address: 'temporal.internal:7233',
    tls: null,
    apiKey: null,
  })
  const named = { TEMPORAL_ADDRESS: '[::1]:7233', TEMPORAL_NAMESPACE: 'media', TEMPORAL_TASK_QUEUE: 'ours' }
  expect(temporal(named)).toMatchObject({ address: '[::1]:7233', namespace: 'media', taskQueue: 'ours' })
})

test.each([
  [{ TEMPORAL_ADDRESS: 'temporal' }, /^TEMPORAL_ADDRESS must read like localhost:7233[^\n]*$/],
  [{ TEMPORAL_ADDRESS: 'http://temporal:7233' }, /^TEMPORAL_ADDRESS must read like localhost:7233[^\n]*$/],
  [
    { TEMPORAL_NAMESPACE: 'media' },
    /^TEMPORAL_NAMESPACE and TEMPORAL_TASK_QUEUE mean something only with[^\n]*$/,
  ],
  [{ PORT: 'eighty' }, 'PORT must be a whole number.'],
  [{ PORT: '70000' }, 'PORT must be at most 65535.'],
  [{ PORT: '18080', METRICS_PORT: '18080' }, 'PORT and METRICS_PORT are both 18080'],
  [{ ADMIN_PORT: '18080', METRICS_PORT: '18080' }, 'ADMIN_PORT and METRICS_PORT are both 18080'],
  [{ ADMIN_PORT: '8080' }, 'PORT and ADMIN_PORT are both 8080'],
  [{ S3_BUCKET: 'media' }, 'go together: set all of them or none'],
  [
    { MEDIALOG_LOG_LEVEL: 'loud' },
    "MEDIALOG_LOG_LEVEL must be one of fatal, error, warn, info, debug, trace, silent, not 'loud'.",
  ],
  [
    { MEDIALOG_OCR_LANGUAGES: 'eng;kor' },
    "must read like eng,kor (Tesseract's codes) or be none, not 'eng;kor'",
  ],
  [{ REDIS_URL: 'cache:6379' }, /^REDIS_URL must be an address like [^\n]*$/],
])('%j stops the start with one line', (environment, line) => {
  expect(() => readConfig(environment)).toThrow(InvalidConfiguration)
  expect(() => readConfig(environment)).toThrow(/^[^\n]+$/)
  expect(() => readConfig(environment)).toThrow(line)
})

test('webhooks go to the public internet over https, unless networks are named', () => {
  expect(readConfig({}).webhooks).toEqual({
    key: null,
    targets: { plainHttp: false, networks: [] },
    retries: { first: 5_000, giveUpAfter: 259_200_000 },
  })
  const named = readConfig({
    MEDIALOG_WEBHOOK_NETWORKS: '10.0.0.0/8, fd00::/8',
    MEDIALOG_WEBHOOK_HTTP: 'true',
  })
  expect(named.webhooks.targets).toEqual({ plainHttp: true, networks: ['10.0.0.0/8', 'fd00::/8'] })
  expect(() => readConfig({ MEDIALOG_WEBHOOK_NETWORKS: 'localhost' })).toThrow(
    /MEDIALOG_WEBHOOK_NETWORKS must read like 10\.0\.0\.0\/8,fd00::\/8: 'localhost' is no network/,
  )
  expect(() => readConfig({ MEDIALOG_WEBHOOK_KEY: 'short' })).toThrow(/MEDIALOG_WEBHOOK_KEY must have/)
})

test('an unknown variable is a warning with the nearest known name', () => {
  const { warnings } = readConfig({
    MEDIALOG_RATELIMITS: 'free=1',
    MEDIALOG_COLOUR: 'blue',
    MEDIALOG_URL: 'http://127.0.0.1:8080',
    MEDIALOG_QUOTAS: 'free=1',
    MEDIALOG_NOTHING: '',
    OTHER: '1',
  })
  expect(warnings).toEqual([
    'MEDIALOG_COLOUR is no setting of this version',
    'MEDIALOG_RATELIMITS is no setting of this version: did you mean MEDIALOG_RATE_LIMITS?',
  ])
})
