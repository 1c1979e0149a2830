import { parser } from '@prometheus-io/lezer-promql'

/** Names of the metrics in a query. @throws Error where it is none */
export function metricsOf(query: string): string[] {
  const names: string[] = []
  parser.parse(query).iterate({
    enter({ type, name, from, to }) {
      if (type.isError) throw new Error(`not PromQL at ${from}: ${query}`)
      // An identifier that is no label and no function.
      if (name === 'VectorSelector') names.push(/^[\w:]+/.exec(query.slice(from, to))?.[0] ?? '')
    },
  })
  return names
}

/** Of what `/metrics` says, without the suffixes of histograms and of summaries. */
export const exportedMetrics = (page: string): Set<string> =>
  new Set(Array.from(page.matchAll(/^# TYPE (\S+) /gm), ([, name]) => name!))

/** The metric that a series belongs to, among those that are exported. */
export const metricOfSeries = (series: string, exported: ReadonlySet<string>): string | undefined =>
  [series, series.replace(/_(?:bucket|sum|count)$/, '')].find((name) => exported.has(name))
