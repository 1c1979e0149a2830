import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { describeWithTool } from '../tools.ts'
import { infraPath } from './folder.ts'
import { alerts } from './watched.ts'

/** Values of a series, one a minute from the start, as promtool writes them. */
type Series = Record<string, string>

const MINUTES = 60
const always = (value: number) => `${value}x${MINUTES}`
const rising = (perSecond: number) => `0+${perSecond * 60}x${MINUTES}`

/** Labels of a series of each process. */
const AT = {
  api: 'job="medialog",instance="10.0.0.1:9464",role="api"',
  worker: 'job="medialog",instance="10.0.0.2:9464",role="worker"',
  projections: 'job="medialog",instance="10.0.0.3:9464",role="projections"',
  publisher: 'job="medialog",instance="10.0.0.4:9464",role="publisher"',
}
type Role = keyof typeof AT
const ROLES = Object.keys(AT) as Role[]

const series = (role: Role, name: string, labels = '') => `${name}{${AT[role]}${labels && `,${labels}`}}`
const engine = (role: Role, name: string) => series(role, 'medialog_engine_available', `engine="${name}"`)
const limited = (by: string) => series('api', 'medialog_limited', `by="${by}"`)
const component = (name: string) => series('api', 'medialog_component_operational', `component="${name}"`)
const requests = (status: number) => series('api', 'medialog_http_requests_total', `status="${status}"`)
const searches = (seconds: string) =>
  series('api', 'medialog_http_request_seconds_bucket', `route="/v1/search",le="${seconds}"`)
const readModel = (role: Role, name: string) => series(role, name, 'read_model="catalog"')

const USED: Record<Role, readonly string[]> = {
  api: ['eventstoredb', 'elasticsearch', 'temporal', 's3', 'redis'],
  worker: ['eventstoredb', 'elasticsearch', 'temporal', 's3'],
  projections: ['eventstoredb', 'elasticsearch'],
  publisher: ['eventstoredb', 'elasticsearch', 'kafka'],
}

/** As four processes say that all is well. */
const WELL: Series = {
  ...Object.fromEntries(
    ROLES.flatMap((role) => [
      [`up{${AT[role]}}`, always(1)],
      [series(role, 'medialog_log_writable'), always(1)],
      [series(role, 'process_open_fds'), always(120)],
      [series(role, 'process_max_fds'), always(1024)],
      ...USED[role].map((name) => [engine(role, name), always(1)]),
    ]),
  ),
  ...Object.fromEntries(
    ['reading', 'workers', 'disk', 'clock', 'damage'].map((by) => [limited(by), always(0)]),
  ),
  ...Object.fromEntries(
    ['api', 'storage', 'search', 'artifacts', 'limits', 'publisher'].map((name) => [
      component(name),
      always(1),
    ]),
  ),
  [series('api', 'medialog_disk_free_bytes')]: always(9e9),
  [series('api', 'medialog_disk_reserved_bytes')]: always(1e8),
  [series('api', 'medialog_connections_refused_total')]: always(0),
  [series('api', 'medialog_erasures_pending')]: always(0),
  [series('api', 'medialog_ingest_retrying')]: always(0),
  [series('api', 'medialog_provider_breaker_open', 'use="answering",model="a-model"')]: always(0),
  [series('api', 'medialog_verification_failed', 'operation="audit"')]: always(0),
  [requests(200)]: rising(40),
  [requests(400)]: rising(0.5),
  [requests(401)]: rising(0.1),
  [requests(503)]: rising(0),
  [searches('0.1')]: rising(10),
  [searches('1')]: rising(10),
  [searches('+Inf')]: rising(10),
  [readModel('projections', 'medialog_projection_failing')]: always(0),
  [readModel('api', 'medialog_projection_behind_events')]: always(3),
  [series('publisher', 'medialog_publishing_failing')]: always(0),
  [series('publisher', 'medialog_webhook_failing')]: always(0),
}

const DEAF: Series = { [component('storage')]: always(0), [requests(503)]: rising(30) }
const STILL: Series = {
  [readModel('projections', 'medialog_projection_failing')]: always(1),
  [readModel('api', 'medialog_projection_behind_events')]: always(5_000),
  [series('api', 'medialog_erasures_pending')]: always(7),
  [component('search')]: always(0),
}
const away = (name: string): Series =>
  Object.fromEntries(
    ROLES.filter((role) => USED[role].includes(name)).map((role) => [engine(role, name), always(0)]),
  )
const FULL: Series = {
  ...DEAF,
  ...STILL,
  [limited('disk')]: always(1),
  [component('api')]: always(0),
  [series('api', 'medialog_ingest_retrying')]: always(2),
}

/** What each alert is about, with everything that follows from it, as the service's metrics have it. */
const CAUSES: Record<string, Series> = {
  EventStoreDBUnavailable: {
    ...away('eventstoredb'),
    ...DEAF,
    ...STILL,
    ...Object.fromEntries(ROLES.map((role) => [series(role, 'medialog_log_writable'), always(0)])),
    [series('api', 'medialog_ingest_retrying')]: always(2),
    [series('publisher', 'medialog_publishing_failing')]: always(1),
    [series('publisher', 'medialog_webhook_failing')]: always(1),
    [component('publisher')]: always(0),
  },
  ElasticsearchUnavailable: {
    ...away('elasticsearch'),
    ...DEAF,
    ...STILL,
    [series('publisher', 'medialog_webhook_failing')]: always(1),
    [searches('0.1')]: rising(0),
  },
  TemporalUnavailable: {
    ...away('temporal'),
    [limited('workers')]: always(1),
    [component('api')]: always(0),
    [requests(503)]: rising(5),
    [series('api', 'medialog_ingest_retrying')]: always(2),
    [series('api', 'medialog_erasures_pending')]: always(2),
  },
  ArtifactsUnavailable: {
    ...away('s3'),
    ...DEAF,
    [component('artifacts')]: always(0),
    [series('api', 'medialog_erasures_pending')]: always(2),
  },
  KafkaUnavailable: {
    ...away('kafka'),
    [series('publisher', 'medialog_publishing_failing')]: always(1),
    [component('publisher')]: always(0),
  },
  RedisUnavailable: { ...away('redis'), [component('limits')]: always(0) },
  ProviderUnavailable: {
    [series('api', 'medialog_provider_breaker_open', 'use="answering",model="a-model"')]: always(1),
    [component('search')]: always(0),
    [searches('0.1')]: rising(0),
  },
  ProcessGone: {
    [`up{${AT.projections}}`]: always(0),
    [readModel('api', 'medialog_projection_behind_events')]: always(5_000),
    [component('search')]: always(0),
  },
  NoWorkers: {
    [limited('workers')]: always(1),
    [component('api')]: always(0),
    [requests(503)]: rising(5),
    [series('api', 'medialog_erasures_pending')]: always(2),
  },
  LogNotWritable: {
    ...DEAF,
    [series('api', 'medialog_log_writable')]: always(0),
    [series('api', 'medialog_ingest_retrying')]: always(2),
    [series('api', 'medialog_erasures_pending')]: always(2),
  },
  StreamsDamaged: {
    ...DEAF,
    [limited('damage')]: always(1),
    [series('api', 'medialog_erasures_pending')]: always(2),
  },
  ClockWrong: { ...DEAF, [limited('clock')]: always(1), [component('api')]: always(0) },
  DiskFull: { ...FULL, [series('api', 'medialog_disk_free_bytes')]: always(9e7) },
  DiskFilling: { [series('api', 'medialog_disk_free_bytes')]: always(4e8) },
  ConnectionsRefused: { [series('api', 'medialog_connections_refused_total')]: rising(0.1) },
  DescriptorsShort: { [series('worker', 'process_open_fds')]: always(900) },
  ReadingLimited: { [limited('reading')]: always(1), [component('api')]: always(0) },
  UnauthorizedRequests: { [requests(401)]: rising(2) },
  InvalidRequests: { [requests(400)]: rising(9) },
  VerificationFailed: {
    [series('api', 'medialog_verification_failed', 'operation="audit"')]: always(1),
  },
  ProjectionFailing: {
    [readModel('projections', 'medialog_projection_failing')]: always(1),
    [component('search')]: always(0),
  },
  ProjectionBehind: {
    [readModel('api', 'medialog_projection_behind_events')]: always(5_000),
    [component('search')]: always(0),
  },
  PublishingFailing: {
    [series('publisher', 'medialog_publishing_failing')]: always(1),
    [component('publisher')]: always(0),
  },
  WebhooksFailing: { [series('publisher', 'medialog_webhook_failing')]: always(1) },
  IngestRetrying: { [series('api', 'medialog_ingest_retrying')]: always(2) },
  ErasuresPending: { [series('api', 'medialog_erasures_pending')]: always(2) },
  ServerErrors: { [requests(500)]: rising(1) },
  Slow: { [searches('0.1')]: rising(0) },
  Degraded: { [component('search')]: always(0) },
}

/** The same trouble under other circumstances. */
const ALSO: [string, string, Series][] = [
  [
    'a disk without a reserve and without a byte',
    'DiskFull',
    {
      ...FULL,
      [series('api', 'medialog_disk_reserved_bytes')]: always(0),
      [series('api', 'medialog_disk_free_bytes')]: always(0),
    },
  ],
  [
    'one process of four that cannot reach Elasticsearch',
    'ElasticsearchUnavailable',
    { [engine('projections', 'elasticsearch')]: always(0), ...STILL },
  ],
]

const runbooks = readFileSync(infraPath('../docs/runbooks.md'), 'utf8')

describe('each alert', () => {
  test.each(alerts())(
    '$alert has a severity, and a runbook of five lines',
    ({ alert, labels, annotations }) => {
      expect(['critical', 'warning']).toContain(labels.severity)
      expect(annotations.runbook_url).toBe(`docs/runbooks.md#${alert.toLowerCase()}`)
      const [, text] = runbooks.split(`\n## ${alert}\n\n`)
      const lines = text!.trimEnd().split('\n\n')[0]!.split('\n')
      expect(lines.map((line) => /^- \*\*(.*?)\*\*/.exec(line)?.[1])).toEqual([
        'Means',
        'Look at',
        'Do',
        'Meanwhile',
        'Over when',
      ])
    },
  )

  test('no runbook is about an alert that is not there', () => {
    const described = Array.from(runbooks.matchAll(/^## (\S+)$/gm), ([, name]) => name)
    expect(described).toEqual(alerts().map(({ alert }) => alert))
  })

  test('there is a cause for each', () => {
    expect(Object.keys(CAUSES).map((name) => `Medialog${name}`)).toEqual(alerts().map(({ alert }) => alert))
  })
})

describeWithTool('promtool', 'alerts', (promtool) => {
  /** What promtool says of these alerts after half an hour; nothing where only they fire. */
  function judged(name: string, given: Series, firing: readonly string[]): string {
    const folder = mkdtempSync(join(tmpdir(), 'medialog-alerts-'))
    const file = join(folder, 'test.json')
    const test = {
      interval: '1m',
      input_series: Object.entries({ ...WELL, ...given }).map(([series, values]) => ({ series, values })),
      promql_expr_test: [
        {
          expr: 'group by (alertname) (ALERTS{alertstate="firing"})',
          eval_time: '30m',
          exp_samples: firing.map((alert) => ({ labels: `{alertname="Medialog${alert}"}`, value: 1 })),
        },
      ],
    }
    const rules = {
      rule_files: [infraPath('prometheus/rules.yaml')],
      evaluation_interval: '1m',
      tests: [test],
    }
    writeFileSync(file, JSON.stringify(rules))
    const { status, stdout, stderr } = spawnSync(promtool, ['test', 'rules', file], { encoding: 'utf8' })
    rmSync(folder, { recursive: true })
    return status === 0 ? '' : `${name}: ${stdout}${stderr}`
  }

  test('do not fire while all is well, and a test of them can fail', () => {
    expect(judged('well', {}, [])).toBe('')
    expect(judged('well', {}, ['DiskFull'])).toContain('DiskFull')
  })

  test.each(Object.entries(CAUSES))('%s alone fires on its cause', (alert, given) => {
    expect(judged(alert, given, [alert])).toBe('')
  })

  test.each(ALSO)('of %s it is %s alone', (what, alert, given) => {
    expect(judged(what, given, [alert])).toBe('')
  })
})
