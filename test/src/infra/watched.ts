import { parse } from 'yaml'
import { infraFile } from './folder.ts'

interface Target {
  expr: string
  datasource: { uid: string }
}
export interface Panel {
  id: number
  title: string
  type: string
  gridPos: { x: number; y: number; w: number; h: number }
  targets?: Target[]
}
export interface Dashboard {
  uid: string
  panels: Panel[]
  templating: { list: { name: string; query: { query: string } }[] }
}
interface Alert {
  alert: string
  expr: string
  labels: { severity: string }
  annotations: { summary: string; runbook_url: string }
}
interface Rules {
  groups: { rules: (Alert | { record: string; expr: string })[] }[]
}

export const dashboard = (): Dashboard =>
  JSON.parse(infraFile('grafana/dashboards/medialog.json')) as Dashboard

const rules = () => (parse(infraFile('prometheus/rules.yaml')) as Rules).groups.flatMap(({ rules }) => rules)

export const recorded = () => rules().flatMap((rule) => ('record' in rule ? [rule.record] : []))

export const alerts = () => rules().filter((rule) => 'alert' in rule)

/** Every query of alerts and dashboard, by where it stands; what Grafana puts in is put in. */
export function queries(): { where: string; query: string }[] {
  const filled = (query: string) => query.replaceAll('$__rate_interval', '1m').replaceAll('$instance', '.*')
  const { panels, templating } = dashboard()
  return [
    ...rules().map((rule) => ({ where: 'alert' in rule ? rule.alert : rule.record, query: rule.expr })),
    ...panels.flatMap(({ title, targets = [] }) =>
      targets.map(({ expr }) => ({ where: title, query: filled(expr) })),
    ),
    ...templating.list.map(({ name, query: { query } }) => ({
      where: `$${name}`,
      query: /^label_values\((.*), \w+\)$/.exec(query)![1]!,
    })),
  ]
}
