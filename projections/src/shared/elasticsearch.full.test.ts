import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { openSqliteEventStore } from '@medialog/event-store'
import { openElasticsearchCoordination } from '@medialog/read-model/elasticsearch/coordination'
import { openIndexDocuments } from '@medialog/read-model/elasticsearch/document-queries'
import { usageOf } from '@medialog/read-model/records/usage'
import { testIndices } from '@medialog/read-model/testing/elasticsearch-engine'
import { describeWithEngine } from '@medialog/test/engines'
import { usd } from '@medialog/kernel'
import { expect, test, vi } from 'vitest'
import { createHistory, idOf } from '../testing/history.ts'
import { createMemoryArtifacts } from '../testing/memory-artifacts.ts'
import { temporaryFolder } from '../testing/service.ts'
import { followProjections } from './follow.ts'
import { LEASES, type Lease } from './lease.ts'

vi.setConfig({ testTimeout: 600_000 })
const PATIENT = { timeout: 120_000, interval: 200 }
const ANN = idOf('ann')
const SHARED = ['access', 'records'] as const
const READ_MODELS = ['accounts', 'usage'] as const

describeWithEngine('elasticsearch', 'processes that share projections into Elasticsearch', (url) => {
  test('hand over when one is stalled, killed or stopped, and nothing is lost or doubled', async () => {
    const folder = temporaryFolder()
    const path = join(folder, 'log.sqlite')
    const log = await openSqliteEventStore({ path })
    const history = createHistory(log, createMemoryArtifacts())
    const { client, prefix, remove } = testIndices(url)
    const coordination = openElasticsearchCoordination({ client, prefix })
    const followed = followProjections({ coordination, log, holder: null })
    const started: ChildProcess[] = []
    let failures = 0

    async function start(holder: string): Promise<ChildProcess> {
      const script = join(import.meta.dirname, '../testing/sharing-host.ts')
      const child = spawn(process.execPath, [script, path, url, prefix, holder], {
        stdio: ['ignore', 'pipe', 'inherit'],
      })
      started.push(child)
      await once(child.stdout, 'data')
      return child
    }
    const leaders = async (): Promise<string[]> =>
      (await coordination.list<Lease>(LEASES)).map(({ value }) => value.holder)
    const led = (holder: string): Promise<void> =>
      vi.waitFor(async () => expect(await leaders()).toEqual(SHARED.map(() => holder)), PATIENT)
    async function happen(times: number): Promise<void> {
      for (let time = 0; time < times; time++) await history.fail(ANN, `${failures++}.txt`, 'text')
      await history.batch(ANN, `batch ${failures}`)
    }
    async function shown(): Promise<void> {
      const position = await log.head()
      expect(await followed.reached(position, { readModels: READ_MODELS, timeoutMs: 120_000 })).toBe(true)
    }

    try {
      await history.open(ANN, '1000')
      const first = await start('first')
      await led('first')
      const second = await start('second')
      await happen(20)
      // In the middle of whatever it does.
      first.kill('SIGSTOP')
      await happen(20)
      await led('second')
      await shown()
      first.kill('SIGCONT')
      await happen(20)
      await shown()
      expect(await leaders()).toEqual(SHARED.map(() => 'second'))

      await happen(20)
      second.kill('SIGKILL')
      await happen(20)
      await led('first')
      await shown()

      const third = await start('third')
      first.kill('SIGTERM')
      await once(first, 'exit')
      await led('third')
      await happen(1)
      await shown()
      for (const name of READ_MODELS)
        for (const report of await followed.verify(name, () => undefined))
          expect(report).toMatchObject({ identical: true })
      // A charge and its refund each time, and of each batch a charge and a refund; and the opening.
      const usage = usageOf(openIndexDocuments({ client, prefix }, 'records'))
      const batches = 6
      expect(await usage.transactions(ANN, { limit: 5_000 })).toHaveLength(1 + 2 * failures + 2 * batches)
      expect(await usage.balance(ANN)).toBe(usd('1000'))
      third.kill('SIGTERM')
      await once(third, 'exit')
    } finally {
      for (const child of started) child.kill('SIGKILL')
      await followed.close()
      await log.close()
      await remove()
      rmSync(folder, { recursive: true })
    }
  })
})
