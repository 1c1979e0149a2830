import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startEventStoreDbDouble } from '@medialog/event-store/testing/eventstoredb/double'
import { accessStore } from '@medialog/read-model'
import { documentsIndex, openIndexStore } from '@medialog/read-model/elasticsearch/index'
import { testIndices } from '@medialog/read-model/testing/elasticsearch-engine'
import { engineAddress } from '@medialog/test/engines'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { checkAll } from './all.ts'
import { checked, reportOf } from './report.ts'
import { readConfig } from '../config.ts'
import type { Role } from '../roles.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'medialog-check-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

const ANY_PORTS = { PORT: '0', METRICS_PORT: '0' }
const look = (environment: Record<string, string>, roles: readonly Role[] | null = null) =>
  checked(
    () => readConfig({ ...ANY_PORTS, MEDIALOG_DATA_DIR: join(folder, 'data'), ...environment }, roles),
    checkAll,
  )

const temporal = engineAddress('temporal')
const elasticsearch = engineAddress('elasticsearch')

test.skipIf(temporal === null || elasticsearch === null)('engines that are there are found', async () => {
  const there = { TEMPORAL_ADDRESS: temporal!, ELASTICSEARCH_URL: elasticsearch! }
  expect((await look(there)).filter(({ ok }) => !ok)).toEqual([])
  const checks = await look({ ...there, TEMPORAL_NAMESPACE: 'nobody-made-it' })
  expect(checks.find(({ name }) => name === 'Temporal')).toMatchObject({ ok: false })
})

test.skipIf(elasticsearch === null)('read models that were made from another log are no fit', async () => {
  await using log = await startEventStoreDbDouble()
  const { client, prefix, remove } = testIndices(elasticsearch!)
  try {
    const writer = await openIndexStore({ client, prefix, definition: documentsIndex(accessStore) }).open()
    await writer.applyBatch([], 7, 'a hash')
    await writer.close()
    const environment = {
      EVENTSTOREDB_URL: log.url,
      ELASTICSEARCH_URL: elasticsearch!,
      ELASTICSEARCH_PREFIX: prefix,
      MEDIALOG_SHARED_DIR: folder,
    }
    const checks = await look(environment, ['projections'])
    expect(checks.filter(({ ok }) => !ok).map(({ name }) => name)).toEqual(['read models'])
    expect(reportOf(checks, false)).toMatch(
      /✗ read models .*the event log is empty, but .*ELASTICSEARCH_PREFIX/,
    )
  } finally {
    await remove()
  }
})
