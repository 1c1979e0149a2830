import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startEventStoreDbDouble } from '@medialog/event-store/testing/eventstoredb/double'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { stringify } from 'yaml'
import { describeProcesses, engineAddress } from '../engines.ts'
import { asAccount, type Answer } from '../harness/client.ts'
import { freePort } from '../harness/free-port.ts'
import { doubleLog } from '../harness/on-eventstoredb.ts'
import { startCluster, type Cluster, type Role } from '../harness/processes.ts'
import { startProxy, type Proxy } from '../harness/proxy.ts'
import { describeWithTool } from '../tools.ts'
import { infraFile } from './folder.ts'

vi.setConfig({ testTimeout: 300_000, hookTimeout: 300_000 })
const LONG = { timeout: 120_000, interval: 500 }
const NOWHERE = '127.0.0.1:1'

/** The rules with seconds for minutes: how long something lasts, and how far back they look. */
const quickRules = (): string =>
  infraFile('prometheus/rules.yaml')
    .replaceAll(/^( +for: \d+)m$/gm, '$1s')
    .replaceAll('[5m]', '[15s]')

type Away = Pick<Proxy, 'address' | 'cut' | 'mend'>

/** Asks every process of the cluster once a second. */
async function startPrometheus(program: string, cluster: Cluster) {
  const folder = await mkdtemp(join(tmpdir(), 'medialog-alerts-'))
  const port = await freePort()
  const configure = () => {
    const targets = Object.entries(cluster.processes).flatMap(([role, processes]) =>
      processes.map(({ url }) => ({ targets: [new URL(url).host], labels: { role } })),
    )
    const medialog = {
      job_name: 'medialog',
      authorization: { credentials: cluster.operatorToken },
      static_configs: targets,
    }
    const often = { scrape_interval: '1s', scrape_timeout: '1s', evaluation_interval: '1s' }
    const settings = { global: often, rule_files: ['rules.yaml'], scrape_configs: [medialog] }
    return writeFile(join(folder, 'prometheus.yaml'), stringify(settings))
  }
  await writeFile(join(folder, 'rules.yaml'), quickRules())
  await configure()
  const words = [
    '--config.file=prometheus.yaml',
    '--storage.tsdb.path=data',
    `--web.listen-address=127.0.0.1:${port}`,
  ]
  const running = spawn(program, words, { cwd: folder, stdio: 'ignore' })
  const ended = once(running, 'exit')
  return {
    /** Names of the alerts, without what all of them begin with. */
    async firing(): Promise<string[]> {
      const answer = await fetch(`http://127.0.0.1:${port}/api/v1/alerts`)
      const { data } = (await answer.json()) as {
        data: { alerts: { labels: { alertname: string }; state: string }[] }
      }
      const names = data.alerts.flatMap(({ labels, state }) => (state === 'firing' ? [labels.alertname] : []))
      return [...new Set(names)].map((name) => name.replace('Medialog', '')).sort()
    },
    /** Asks the processes that there are now. */
    async lookAgain(): Promise<void> {
      await configure()
      running.kill('SIGHUP')
    },
    async [Symbol.asyncDispose]() {
      running.kill()
      await ended
      await rm(folder, { recursive: true })
    },
  }
}

describeWithTool('prometheus', 'alerts of a service that runs', (program) => {
  describeProcesses('on four processes and their engines', () => {
    const stack = new AsyncDisposableStack()
    let log: Awaited<ReturnType<typeof startEventStoreDbDouble>>
    let elasticsearch: Away
    let temporal: Away
    let bucket: Away | null
    let cluster: Cluster
    let prometheus: Awaited<ReturnType<typeof startPrometheus>>

    const between = async (id: 'elasticsearch' | 'temporal' | 's3'): Promise<Away> =>
      stack.adopt(await startProxy(engineAddress(id)!.replace(/^.*\/\//, '')), (it) => it.cut())

    beforeAll(async () => {
      log = stack.use(await startEventStoreDbDouble())
      elasticsearch = await between('elasticsearch')
      temporal = await between('temporal')
      bucket = engineAddress('s3') === null ? null : await between('s3')
      cluster = await startCluster({
        processes: { projections: 1, worker: 1, api: 1, publisher: 1 },
        log: doubleLog(log),
        engines: {
          ELASTICSEARCH_URL: `http://${elasticsearch.address}`,
          TEMPORAL_ADDRESS: temporal.address,
        },
        ...(bucket && { env: { S3_URL: `http://${bucket.address}` } }),
      })
      stack.defer(() => cluster.remove())
      prometheus = stack.use(await startPrometheus(program, cluster))
    })
    afterAll(() => stack.disposeAsync())

    const restarted = async (role: Role, env: Record<string, string>): Promise<void> => {
      await cluster.processes[role][0]!.stop()
      await cluster.start(role, { at: 0, env })
      await prometheus.lookAgain()
    }
    const shared = () => cluster.env['MEDIALOG_SHARED_DIR']!
    /** What happens, and what ends it. */
    const CAUSES: Record<string, { happens: () => unknown; ends: () => unknown }> = {
      EventStoreDBUnavailable: { happens: () => log.stop(), ends: () => log.start() },
      ElasticsearchUnavailable: { happens: () => elasticsearch.cut(), ends: () => elasticsearch.mend() },
      TemporalUnavailable: { happens: () => temporal.cut(), ends: () => temporal.mend() },
      KafkaUnavailable: {
        happens: () => restarted('publisher', { KAFKA_BROKERS: NOWHERE, KAFKA_PUBLISHER: 'another' }),
        ends: () => restarted('publisher', {}),
      },
      RedisUnavailable: {
        happens: () => restarted('api', { REDIS_URL: `redis://${NOWHERE}` }),
        ends: () => restarted('api', {}),
      },
      DiskFull: {
        happens: () => restarted('api', { MEDIALOG_FREE_MEGABYTES: '1000000000' }),
        ends: () => restarted('api', {}),
      },
      ProcessGone: {
        happens: () => cluster.processes.worker[0]!.kill(),
        ends: () => restarted('worker', {}),
      },
      ArtifactsUnavailable: {
        happens: () => bucket?.cut() ?? rename(shared(), `${shared()}-away`),
        ends: () => bucket?.mend() ?? rename(`${shared()}-away`, shared()),
      },
    }

    test.for(Object.entries(CAUSES))('%s', async ([name, { happens, ends }]) => {
      await vi.waitFor(async () => expect(await prometheus.firing()).toEqual([]), LONG)
      await happens()
      await vi.waitFor(async () => expect(await prometheus.firing()).toEqual([name]), LONG)
      await ends()
    })

    test('storms of requests without a key, and of wrong ones', async () => {
      const { apiKey } = await cluster.openAccount(1)
      const { url } = cluster.processes.api[0]!
      const wrong = { json: { query: 7 } }
      const storms: [string, number, () => Promise<Answer>][] = [
        ['UnauthorizedRequests', 401, () => asAccount(url, 'mlk_none').request('GET', '/v1/media')],
        ['InvalidRequests', 400, () => asAccount(url, apiKey).request('POST', '/v1/search', wrong)],
      ]
      for (const [name, status, request] of storms) {
        await vi.waitFor(async () => expect(await prometheus.firing()).toEqual([]), LONG)
        await vi.waitFor(async () => {
          for (let count = 0; count < 10; count++) expect((await request()).status).toBe(status)
          expect(await prometheus.firing()).toEqual([name])
        }, LONG)
      }
    })
  })
})
