import { useEffect, useMemo, useState } from 'react'
import { Chart } from '../parts/chart.tsx'
import { Shown } from '../parts/states.tsx'
import { useTitle } from '../parts/title.ts'
import { bytes, dateTime, number } from '../parts/values.tsx'
import { t } from '../texts/texts.ts'
import { totalOf, valueOf, type Sample } from './metrics.ts'
import { useMetrics } from './reads.ts'

/** Ten minutes of them. */
const MOST_POINTS = 300

interface Point {
  at: number
  samples: readonly Sample[]
}

const tenths = (value: number): string => number(Math.round(value * 10) / 10)
const percent = (value: number): string => `${tenths(value * 100)} %`

/** What is plotted: from one look at the metrics and the one before. */
const PLOTS: readonly {
  name: string
  format: (value: number) => string
  of: (now: Point, before: Point) => number
}[] = [
  { name: t.metrics.requests, format: tenths, of: rate('medialog_http_requests_total') },
  { name: t.metrics.processor, format: percent, of: rate('process_cpu_seconds_total') },
  {
    name: t.metrics.memory,
    format: bytes,
    of: ({ samples }) => valueOf(samples, 'process_resident_memory_bytes') ?? 0,
  },
  {
    name: t.metrics.loop,
    format: (seconds) => `${tenths(seconds * 1000)} ms`,
    of: ({ samples }) => valueOf(samples, 'nodejs_eventloop_lag_p99_seconds') ?? 0,
  },
  {
    name: t.metrics.behind,
    format: number,
    of: ({ samples }) => totalOf(samples, 'medialog_projection_behind_events'),
  },
  {
    name: t.metrics.ingests,
    format: number,
    of: ({ samples }) => valueOf(samples, 'medialog_ingest_running') ?? 0,
  },
]

function rate(name: string): (now: Point, before: Point) => number {
  return (now, before) =>
    Math.max(0, (totalOf(now.samples, name) - totalOf(before.samples, name)) / ((now.at - before.at) / 1000))
}

/** Plots of what the process measures, from when the view was opened. */
export function MetricsView() {
  useTitle(t.operator.metrics)
  const metrics = useMetrics()
  const [points, setPoints] = useState<readonly Point[]>([])
  const { data, dataUpdatedAt } = metrics
  useEffect(() => {
    if (data) setPoints((list) => [...list, { at: dataUpdatedAt, samples: data }].slice(-MOST_POINTS))
  }, [data, dataUpdatedAt])
  return (
    <Shown read={metrics}>
      {() => (
        <div className="plots">
          {PLOTS.map((plot) => (
            <MetricPlot key={plot.name} plot={plot} points={points} />
          ))}
        </div>
      )}
    </Shown>
  )
}

function MetricPlot({
  plot: { name, format, of },
  points,
}: {
  plot: (typeof PLOTS)[number]
  points: readonly Point[]
}) {
  const values = useMemo(() => points.slice(1).map((point, place) => of(point, points[place]!)), [points, of])
  const times = useMemo(() => points.slice(1).map(({ at }) => at), [points])
  const series = useMemo(() => [{ name, color: '--accent', values }], [name, values])
  const last = values.at(-1)
  return (
    <section>
      <h2>{name}</h2>
      <p className="big-number">{last === undefined ? '…' : format(last)}</p>
      <Chart times={times} series={series} format={format} kind="lines" label={name} timeOf={dateTime} />
    </section>
  )
}
