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
interface Rules {
  groups: { rules: { alert: string; expr: string; annotations: { summary: string } }[] }[]
}

export const dashboard = (): Dashboard =>
  JSON.parse(infraFile('grafana/dashboards/medialog.json')) as Dashboard

export const alerts = () =>
  (parse(infraFile('prometheus/rules.yaml')) as Rules).groups.flatMap(({ rules }) => rules)

/** Every query of alerts and dashboard, by where it stands; what Grafana puts in is put in. */
export function queries(): { where: string; query: string }[] {
  const filled = (query: string) => query.replaceAll('$__rate_interval', '1m').replaceAll('$instance', '.*')
  const { panels, templating } = dashboard()
  return [
    ...alerts().map(({ alert, expr }) => ({ where: alert, query: expr })),
    ...panels.flatMap(({ title, targets = [] }) =>
      targets.map(({ expr }) => ({ where: title, query: filled(expr) })),
    ),
    ...templating.list.map(({ name, query: { query } }) => ({
      where: `$${name}`,
      query: /^label_values\((.*), \w+\)$/.exec(query)![1]!,
    })),
  ]
}
