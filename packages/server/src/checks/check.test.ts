import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startEventStoreDbDouble } from '@medialog/event-store/testing/eventstoredb/double'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { checkAll } from './all.ts'
import { checked, isFine, reportOf } from './report.ts'
import { readConfig } from '../config.ts'
import type { Role } from '../roles.ts'

/** Where nothing listens. */
const NOWHERE = '127.0.0.1:1'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'medialog-check-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

const look = (environment: Record<string, string>, roles: readonly Role[] | null = null) =>
  checked(
    () => readConfig({ PORT: '0', MEDIALOG_DATA_DIR: join(folder, 'data'), ...environment }, roles),
    checkAll,
  )

test('one process needs its folder and its models', async () => {
  const checks = await look({})
  expect(checks.map(({ name, ok }) => [name, ok])).toEqual([
    ['settings', true],
    ['ports', true],
    ['data folder', true],
    ['signing key', true],
    ['pictures', true],
    ['speech', true],
    ['embedder', true],
    ['sandbox', true],
  ])
  expect(reportOf(checks, false)).toMatch(
    /^✓ settings {5}they make sense .*\n✓ ports {8}127.0.0.1, PORT 0: free\n✓ data folder {2}\S+ will be made\n/,
  )
  expect(JSON.parse(reportOf(checks, true))).toEqual({ ok: true, checks })
})

test('a folder that cannot be made is said', async () => {
  const file = join(folder, 'a-file')
  writeFileSync(file, '')
  const checks = await look({ MEDIALOG_DATA_DIR: join(file, 'data') })
  expect(checks.find(({ name }) => name === 'data folder')).toMatchObject({
    ok: false,
    detail: expect.stringMatching(/is a file where a folder belongs.* name another in MEDIALOG_DATA_DIR\.$/),
  })
})

test('settings that make no sense are said as a start would say them', async () => {
  const [settings, ...others] = await look({ PORT: 'many' })
  expect([settings, others]).toEqual([
    { name: 'settings', ok: false, detail: 'PORT must be a whole number.' },
    [],
  ])
})

test('each engine that a role needs is reached, and one that is away said with what to look at', async () => {
  await using log = await startEventStoreDbDouble()
  const environment = {
    EVENTSTOREDB_URL: log.url,
    ELASTICSEARCH_URL: `http://elastic:secret@${NOWHERE}`,
    TEMPORAL_ADDRESS: NOWHERE,
    REDIS_URL: `redis://:secret@${NOWHERE}`,
    KAFKA_BROKERS: NOWHERE,
    MEDIALOG_SHARED_DIR: folder,
    METRICS_PORT: '0',
    MEDIALOG_OPERATOR_TOKEN: 'sixteen characters',
  }
  const checks = await look(environment, ['api', 'publisher'])
  const found = Object.fromEntries(checks.map(({ name, ok }) => [name, ok]))
  expect(found).toEqual({
    settings: true,
    'data folder': true,
    'shared folder': true,
    ports: true,
    pictures: true,
    speech: true,
    embedder: true,
    sandbox: true,
    'signing key': true,
    EventStoreDB: true,
    Elasticsearch: false,
    'read models': true,
    Temporal: false,
    Redis: false,
    Kafka: false,
  })
  expect(isFine(checks)).toBe(false)
  const report = reportOf(checks, false)
  expect(report).toMatch(/✓ signing key +none: without MEDIALOG_CHECKPOINT_KEY/)
  for (const setting of ['ELASTICSEARCH_URL', 'TEMPORAL_ADDRESS', 'REDIS_URL', 'KAFKA_BROKERS'])
    expect(report).toMatch(new RegExp(`✗ .*${setting}`))
  expect(report).not.toContain('secret')
  const unusable = { ...environment, MEDIALOG_CHECKPOINT_KEY: join(folder, 'no-key.pem') }
  expect((await look(unusable, ['projections'])).find(({ name }) => name === 'signing key')).toMatchObject({
    ok: false,
    detail: expect.stringContaining('no-key.pem') as string,
  })
  // What a role does not need is not looked at.
  const publisher = await look(environment, ['publisher'])
  expect(publisher.map(({ name }) => name)).toEqual([
    'settings',
    'ports',
    'EventStoreDB',
    'Elasticsearch',
    'Kafka',
  ])
})
