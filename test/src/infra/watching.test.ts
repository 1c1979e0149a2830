import { existsSync } from 'node:fs'
import { basename, dirname } from 'node:path'
import { parse } from 'yaml'
import { expect, test } from 'vitest'
import { composeFile, infraFile, infraPath } from './folder.ts'
import { metricsOf } from './promql.ts'
import { alerts, dashboard, queries } from './watched.ts'

test('every query of alerts and dashboard is PromQL, and is about a metric', () => {
  expect(queries().length).toBeGreaterThan(30)
  for (const { where, query } of queries()) expect(metricsOf(query), where).not.toContain('')
  expect(() => metricsOf('sum(rate(x[5m])')).toThrow('not PromQL')
})

test('an alert has a name of its own, and says what it means', () => {
  const names = alerts().map(({ alert }) => alert)
  expect(new Set(names).size).toBe(names.length)
  for (const { annotations } of alerts()) expect(annotations.summary).toMatch(/\S+ \S+/)
})

test("the dashboard's panels do not overlap, and ask the source that is provisioned", () => {
  const { panels } = dashboard()
  expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length)
  const taken = new Set<string>()
  for (const {
    title,
    gridPos: { x, y, w, h },
  } of panels)
    for (let column = x; column < x + w; column++)
      for (let row = y; row < y + h; row++) {
        const cell = `${column}/${row}`
        expect(taken.has(cell), `${title} at ${cell}`).toBe(false)
        expect(column, title).toBeLessThan(24)
        taken.add(cell)
      }
  const { datasources } = parse(infraFile('grafana/provisioning/datasources/prometheus.yaml')) as {
    datasources: { uid: string }[]
  }
  const sources = panels.flatMap(({ targets = [] }) => targets.map(({ datasource }) => datasource.uid))
  expect([...new Set(sources)]).toEqual(datasources.map(({ uid }) => uid))
})

test('Prometheus asks every role of the service where it tells its metrics', () => {
  const { services } = composeFile('compose.yaml')
  const roles = Object.entries(services).filter(([, { build }]) => build !== undefined)
  const { scrape_configs, rule_files } = parse(infraFile('prometheus/prometheus.yaml')) as {
    scrape_configs: { dns_sd_configs: { names: string[]; port: number }[] }[]
    rule_files: string[]
  }
  const [{ names, port }] = scrape_configs[0]!.dns_sd_configs as [{ names: string[]; port: number }]
  expect(names.toSorted()).toEqual(roles.map(([name]) => name).toSorted())
  for (const [, { environment = {} }] of roles) expect(environment['METRICS_PORT']).toBe(String(port))
  expect(rule_files).toEqual(['rules.yaml'])
})

test('Prometheus is started with the file that is mounted: its image asks for another name', () => {
  const { command = [], volumes = [] } = composeFile('compose.yaml').services['prometheus']!
  const file = command.find((word) => word.startsWith('--config.file='))?.replace('--config.file=', '')
  const [folder, mountedAt] = volumes.find((volume) => volume.startsWith('./'))!.split(':')
  expect(dirname(file ?? '')).toBe(mountedAt)
  expect(existsSync(infraPath(`${folder}/${basename(file!)}`))).toBe(true)
  // A command replaces the image's, which says this too.
  expect(volumes).toContain(
    `prometheus:${command.find((word) => word.startsWith('--storage'))?.split('=')[1]}`,
  )
})
