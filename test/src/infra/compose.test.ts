import { existsSync, readFileSync } from 'node:fs'
import { VARIABLES } from '@medialog/server/config'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { composeFile, infraFile, infraPath, type ComposeService } from './folder.ts'

const schema = readFileSync(new URL('./vendor/compose-spec.json', import.meta.url), 'utf8')
const specification = new Ajv2020({ strict: false, validateFormats: false }).compile(
  JSON.parse(schema) as object,
)

const FILES = ['compose.yaml', 'compose.embedded.yaml']
const everything = composeFile('compose.yaml')
const all = FILES.flatMap((file) => Object.entries(composeFile(file).services))
const isOurs = ([, { build }]: [string, ComposeService]) => build !== undefined
const others = all.filter((service) => !isOurs(service))

test.each([...FILES, '../test/containers/compose.yaml'])(
  '%s is what the Compose specification says',
  (file) => {
    const described = parse(infraFile(file), { merge: true }) as { services: object }
    expect(specification(described), JSON.stringify(specification.errors)).toBe(true)
    expect(specification({ ...described, services: { api: { imagge: 'medialog' } } })).toBe(false)
  },
)

test.each(others)('the image of %s has its exact version', (_, { image }) => {
  expect(image).toMatch(/^[\w./-]+:v?\d+\.\d+(?:\.\d+)?(?:-[\w.]+)?$/)
})

test.each(all)('%s may take so much memory and so many processes, and no more', (_, service) => {
  expect(service).toMatchObject({ mem_limit: expect.anything(), pids_limit: expect.any(Number) })
})

test('what is made by one project has one version', () => {
  const versions = new Map<string, Set<string>>()
  for (const { image } of Object.values(everything.services)) {
    const [, project, tag] = /^(\w+)\/(?:server|admin-tools):(.*)$/.exec(image ?? '') ?? []
    if (project) versions.set(project, (versions.get(project) ?? new Set()).add(tag!))
  }
  expect([...versions].map(([project, tags]) => [project, tags.size])).toEqual([['temporalio', 1]])
})

test('nothing is reached from outside of this machine', () => {
  const ports = all.flatMap(([, { ports: published = [] }]) => published)
  expect(ports.length).toBeGreaterThan(4)
  for (const port of ports) expect(port).toMatch(/^127\.0\.0\.1:/)
})

describe('in compose.yaml', () => {
  const services = Object.entries(everything.services)

  test('who waits for somebody waits for health, or for an end', () => {
    for (const [name, { depends_on = {} }] of services)
      for (const [other, { condition }] of Object.entries(depends_on)) {
        const awaited = everything.services[other]!
        // The image of the service has its own.
        const expected =
          (awaited.healthcheck ?? awaited.build) ? 'service_healthy' : 'service_completed_successfully'
        expect(condition, `${name} waits for ${other}`).toBe(expected)
      }
  })

  test('every process of the service waits for the engines that it is told of', () => {
    const engineOf: Record<string, string> = {
      EVENTSTOREDB_URL: 'eventstoredb',
      ELASTICSEARCH_URL: 'elasticsearch',
      TEMPORAL_ADDRESS: 'temporal-namespace',
      KAFKA_BROKERS: 'kafka',
      S3_URL: 's3',
      REDIS_URL: 'valkey',
    }
    const roles = services.filter(isOurs)
    expect(roles.map(([name, { command }]) => [name, command])).toEqual(
      ['api', 'worker', 'projections', 'publisher'].map((role) => [role, ['--role', role]]),
    )
    for (const [name, { environment = {}, depends_on = {} }] of roles) {
      const needed = Object.keys(environment).flatMap((variable) => engineOf[variable] ?? [])
      expect(Object.keys(depends_on).toSorted(), name).toEqual(needed.toSorted())
    }
  })

  test('every volume and every mounted file is there', () => {
    const used = new Set<string>()
    for (const [, { volumes = [] }] of services)
      for (const volume of volumes) {
        const [source] = volume.split(':') as [string]
        if (source.startsWith('.')) expect(existsSync(infraPath(source)), source).toBe(true)
        else used.add(source)
      }
    expect([...used].toSorted()).toEqual(Object.keys(everything.volumes!).toSorted())
  })

  test('secrets come from .env: env.example leaves each of them open, and nothing else', () => {
    // Those that an earlier .env has not are empty there.
    const required = infraFile('compose.yaml').matchAll(/\$\{(\w+):(?:\?|-\})/g)
    const open = infraFile('env.example').matchAll(/^(\w+)=$/gm)
    const names = (matches: Iterable<RegExpMatchArray>) => [
      ...new Set(Array.from(matches, ([, name]) => name!)),
    ]
    expect(names(open).toSorted()).toEqual(names(required).toSorted())
    const optional = names(infraFile('compose.yaml').matchAll(/\$\{(\w+):-/g))
    for (const [, name] of infraFile('env.example').matchAll(/^#(\w+)=/gm)) expect(optional).toContain(name)
  })
})

test.each(all.filter(isOurs))('the service knows every setting of %s', (_, { environment = {} }) => {
  expect(Object.keys(environment).length).toBeGreaterThan(2)
  // MEDIALOG_URL is the command line's.
  for (const name of Object.keys(environment)) expect([...VARIABLES, 'MEDIALOG_URL']).toContain(name)
})
