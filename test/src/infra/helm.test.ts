import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { VARIABLES } from '@medialog/server/config'
import { Ajv } from 'ajv'
import { expect, test } from 'vitest'
import { parse, parseAllDocuments } from 'yaml'
import { describeWithTool } from '../tools.ts'
import { infraFile, infraPath } from './folder.ts'

const CHART = infraPath('helm/medialog')
const schema = JSON.parse(infraFile('helm/medialog/values.schema.json')) as object
const isValid = new Ajv({ strict: false }).compile(schema)
const values = () => parse(infraFile('helm/medialog/values.yaml')) as Record<string, object>

test("the chart's values are what their schema says", () => {
  expect(isValid(values()), JSON.stringify(isValid.errors)).toBe(true)
  for (const wrong of [{ mode: 'both' }, { repicas: 3 }, { settings: { 'not a name': 'x' } }])
    expect(isValid({ ...values(), ...wrong })).toBe(false)
})

test('its schema has every value', () => {
  const { properties } = schema as { properties: Record<string, { properties?: object }> }
  const described = (name: string, value: object): string[] =>
    Object.keys(properties[name]!.properties ?? value)
  for (const [name, value] of Object.entries(values()))
    expect(described(name, value), name).toEqual(expect.arrayContaining(Object.keys(value)))
})

test('its alerts are those of Prometheus', () => {
  expect(readFileSync(`${CHART}/rules.yaml`, 'utf8')).toBe(infraFile('prometheus/rules.yaml'))
})

interface Container {
  name: string
  args?: string[]
  env: { name: string }[]
  securityContext: object
  resources: { limits: { memory: string } }
}
interface Resource {
  kind: string
  metadata: { name: string }
  spec: { template: { spec: { containers: Container[]; securityContext: object } } }
}

const EMBEDDED = { secrets: { MEDIALOG_OPERATOR_TOKEN: 'a token of the operator' } }
const BACKED_UP = {
  ...EMBEDDED,
  backup: { enabled: true, claim: 'backups', recipients: ['age1x', 'age1y'], keep: 3 },
  affinity: { nodeAffinity: {} },
}
const DISTRIBUTED = {
  mode: 'distributed',
  existingSecret: 'medialog',
  settings: { TEMPORAL_ADDRESS: 'temporal:7233', MEDIALOG_DRAIN_SECONDS: 30 },
  publisher: { enabled: true },
  verify: { enabled: true },
  podMonitor: { enabled: true, labels: { release: 'prometheus' } },
  prometheusRule: { enabled: true },
  ingress: { enabled: true, className: 'nginx', tlsSecret: 'medialog-tls' },
  api: { autoscaling: { enabled: true } },
  worker: { autoscaling: { enabled: true } },
  networkPolicy: { requestsFrom: [{ namespaceSelector: {} }] },
}

describeWithTool('helm', 'the chart', (helm) => {
  const rendered = (set: object): Resource[] => {
    const input = JSON.stringify(set)
    const args = ['template', 'release', CHART, '--kube-version', '1.31.0', '--values', '-']
    const output = execFileSync(helm, args, { input, encoding: 'utf8', stdio: 'pipe' })
    return parseAllDocuments(output).flatMap((document) => (document.toJSON() as Resource | null) ?? [])
  }
  const workloads = (set: object) =>
    rendered(set).filter(({ kind }) => /^(?:Deployment|StatefulSet)$/.test(kind))
  const kinds = (set: object) =>
    Object.entries(Object.groupBy(rendered(set), ({ kind }) => kind)).map(
      ([kind, of]) => `${of!.length} ${kind}`,
    )

  test('passes its lint', () => {
    const linted = execFileSync(helm, ['lint', CHART, '--strict', '--kube-version', '1.31.0'], {
      stdio: 'pipe',
    })
    expect(linted.toString()).toContain('0 chart(s) failed')
  })

  test('is one process with a volume, or one deployment a role', () => {
    expect(kinds(EMBEDDED)).toEqual(
      expect.arrayContaining([
        '1 StatefulSet',
        '2 Service',
        '1 Secret',
        '2 NetworkPolicy',
        '1 ServiceAccount',
      ]),
    )
    expect(workloads(DISTRIBUTED).map(({ spec }) => spec.template.spec.containers[0]!.args)).toEqual(
      ['api', 'worker', 'projections', 'publisher'].map((role) => ['--role', role]),
    )
    expect(kinds(DISTRIBUTED)).toEqual(
      expect.arrayContaining([
        '2 HorizontalPodAutoscaler',
        '3 PodDisruptionBudget',
        '1 CronJob',
        '1 Ingress',
        '1 PodMonitor',
        '1 PrometheusRule',
      ]),
    )
  })

  test('lets only named sources in, and leads to the operator’s side from inside alone', () => {
    interface Reaching {
      kind: string
      metadata: { name: string }
      spec: {
        ports?: { targetPort: string }[]
        ingress?: { ports: { port: string }[]; from: object[] }[] | null
      }
    }
    const resources = rendered(DISTRIBUTED) as unknown as Reaching[]
    const ports = resources.flatMap(({ kind, metadata: { name }, spec }) =>
      kind === 'Service' ? spec.ports!.map(({ targetPort }) => [name, targetPort]) : [],
    )
    expect(ports).toEqual([
      ['release-medialog', 'http'],
      ['release-medialog-admin', 'admin'],
    ])
    expect(JSON.stringify(resources.find(({ kind }) => kind === 'Ingress'))).not.toContain('admin')
    const allowed = (set: object) =>
      (rendered(set) as unknown as Reaching[]).flatMap(({ kind, spec }) =>
        kind === 'NetworkPolicy' ? (spec.ingress ?? []) : [],
      )
    const sources = allowed(DISTRIBUTED)
    for (const { from } of sources) expect(from.length).toBeGreaterThan(0)
    expect(sources.filter(({ ports: [port] }) => port!.port === 'admin').map(({ from }) => from)).toEqual([
      [
        {
          podSelector: {
            matchLabels: expect.objectContaining({ 'app.kubernetes.io/component': 'verify' }) as object,
          },
        },
      ],
    ])
    expect(allowed({ ...EMBEDDED, networkPolicy: { requestsFrom: [], metricsFrom: [] } })).toEqual([])
  })

  test('proves the log and the read models each night, as far as its processes can', () => {
    interface CronJob {
      spec: {
        jobTemplate: { spec: { template: { spec: { containers: [{ command: string[]; args: string[] }] } } } }
      }
    }
    const nightly = (set: object) => {
      const [job] = rendered(set).filter(({ kind }) => kind === 'CronJob') as object[] as CronJob[]
      return job!.spec.jobTemplate.spec.template.spec.containers[0]
    }
    for (const [set, subject] of [
      [{ ...EMBEDDED, verify: { enabled: true } }, 'audit'],
      [DISTRIBUTED, 'log'],
    ] as const) {
      const { command, args } = nightly(set)
      expect([command, args]).toEqual([['timeout', '6h', 'sh', 'infra/image/verify.sh'], [subject]])
      expect(existsSync(infraPath(`../${command.at(-1)}`))).toBe(true)
    }
  })

  test('gives no pod rights that it does not need, and bounds its memory', () => {
    for (const { metadata, spec } of [...workloads(EMBEDDED), ...workloads(DISTRIBUTED)]) {
      const pod = spec.template.spec
      expect(pod.securityContext, metadata.name).toMatchObject({
        runAsNonRoot: true,
        runAsUser: 10_001,
        seccompProfile: { type: 'RuntimeDefault' },
      })
      for (const container of pod.containers) {
        expect(container.securityContext, metadata.name).toEqual({
          readOnlyRootFilesystem: true,
          allowPrivilegeEscalation: false,
          capabilities: { drop: ['ALL'] },
        })
        expect(container.resources.limits.memory, metadata.name).toMatch(/^\d+Gi$/)
      }
    }
  })

  test('alerts link to where the runbooks can be read', () => {
    const links = (runbooks?: string) => {
      const set = { ...DISTRIBUTED, prometheusRule: { enabled: true, ...(runbooks && { runbooks }) } }
      const made = rendered(set).find(({ kind }) => kind === 'PrometheusRule') as object as {
        spec: { groups: { rules: { annotations?: { runbook_url: string } }[] }[] }
      }
      return made.spec.groups.flatMap(({ rules }) =>
        rules.flatMap(({ annotations }) => annotations?.runbook_url ?? []),
      )
    }
    const plain = links()
    expect(plain).toContain('docs/runbooks.md#medialogdiskfull')
    const address = 'https://docs.example.org/runbooks.md'
    expect(links(address)).toEqual(plain.map((link) => link.replace('docs/runbooks.md', address)))
  })

  test('backs up each night beside its process, encrypted, and lists erasures', () => {
    interface Job {
      spec: {
        schedule: string
        jobTemplate: {
          spec: {
            template: {
              spec: {
                affinity: { podAffinity: object; nodeAffinity: object }
                containers: [{ args: string[] }]
                volumes: { persistentVolumeClaim?: { claimName: string } }[]
              }
            }
          }
        }
      }
    }
    const jobs = rendered(BACKED_UP).filter(({ kind }) => kind === 'CronJob') as object[] as Job[]
    const pods = jobs.map(({ spec }) => spec.jobTemplate.spec.template.spec)
    expect(pods.map(({ containers: [{ args }] }) => args.join(' '))).toEqual([
      'backup /backups/medialog --keep 3 --encrypt-to age1x --encrypt-to age1y',
      'erasures export /backups/erasures.json',
    ])
    const [process] = workloads(BACKED_UP)
    for (const { affinity, volumes } of pods) {
      expect(affinity.nodeAffinity).toEqual({})
      expect(JSON.stringify(affinity.podAffinity)).toContain('"app.kubernetes.io/component":"all"')
      expect(volumes.flatMap(({ persistentVolumeClaim: claim }) => claim?.claimName ?? [])).toEqual([
        `data-${process!.metadata.name}-0`,
        'backups',
      ])
    }
    expect(() => rendered({ ...BACKED_UP, backup: { enabled: true } })).toThrow('backup needs the claim')
    expect(() => rendered({ ...DISTRIBUTED, backup: { enabled: true, claim: 'backups' } })).toThrow(
      'means of their own',
    )
  })

  test('sets what the service knows', () => {
    for (const { spec } of [...workloads(EMBEDDED), ...workloads(DISTRIBUTED)])
      for (const { name } of spec.template.spec.containers[0]!.env) expect(VARIABLES).toContain(name)
  })

  test('refuses roles without a secret, and values that it does not know', () => {
    expect(() => rendered({ mode: 'distributed' })).toThrow('needs existingSecret, or secrets')
    expect(() => rendered({ mode: 'both' })).toThrow("'embedded', 'distributed'")
  })

  describeWithTool('kubernetesValidate', 'what it makes', (validate) => {
    const judged = (resources: readonly object[]) => {
      const folder = mkdtempSync(join(tmpdir(), 'medialog-chart-'))
      const file = join(folder, 'resources.yaml')
      writeFileSync(file, resources.map((resource) => JSON.stringify(resource)).join('\n---\n'))
      const { status, stdout, stderr } = spawnSync(validate, ['--strict', file], { encoding: 'utf8' })
      rmSync(folder, { recursive: true })
      return { status, said: stdout + stderr }
    }
    test.each([
      ['embedded', EMBEDDED],
      ['backed up', BACKED_UP],
      ['distributed', DISTRIBUTED],
    ])('%s is what Kubernetes takes, without a field too many', (_, set) => {
      // Those of the Prometheus operator are no part of Kubernetes.
      const own = rendered(set).filter(({ kind }) => !/^(?:PodMonitor|PrometheusRule)$/.test(kind))
      const { status, said } = judged(own)
      expect(status, said).toBe(0)
      expect(said.match(/ passed /g)).toHaveLength(own.length)
      expect(judged([{ ...own[0], spec: { podSelectr: {} } }]).status).not.toBe(0)
    })
  })
})
