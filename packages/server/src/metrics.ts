import type { Dependencies } from '@medialog/application'
import {
  collectDefaultMetrics,
  Counter,
  Gauge,
  Histogram,
  Registry,
  type GaugeConfiguration,
} from 'prom-client'

export interface Metrics {
  /** A request was answered. `route` is the template (`/v1/media/:media_id`), never a path with ids. */
  requestFinished(request: { method: string; route: string; status: number; seconds: number }): void
  render(): Promise<{ contentType: string; body: string }>
}

/** What is asked whenever the metrics are read. */
export interface Measured extends Pick<Dependencies, 'eventStore' | 'projections' | 'orchestrator'> {
  tombstones: () => { items: number; bytes: number }
}

/** The registry of everything that can be measured of a running service. */
export function createMetrics({ eventStore, projections, orchestrator, tombstones }: Measured): Metrics {
  const registry = new Registry()
  const registers = [registry]
  collectDefaultMetrics({ register: registry })
  const gauge = <Label extends string>(configuration: GaugeConfiguration<Label>) => new Gauge(configuration)
  const requests = new Counter({
    name: 'medialog_http_requests_total',
    help: 'HTTP requests answered.',
    labelNames: ['method', 'route', 'status'],
    registers,
  })
  const seconds = new Histogram({
    name: 'medialog_http_request_seconds',
    help: 'Time to answer an HTTP request.',
    labelNames: ['method', 'route'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    registers,
  })
  gauge({
    name: 'medialog_projection_behind_events',
    help: 'Events in the log that a read model has not applied.',
    labelNames: ['read_model'],
    registers,
    async collect() {
      for (const { name, behind } of await projections.status()) this.set({ read_model: name }, behind)
    },
  })
  gauge({
    name: 'medialog_log_writable',
    help: 'Whether the event log takes appends: 0 while its writer is being started again.',
    registers,
    collect() {
      this.set(eventStore.trouble() === null ? 1 : 0)
    },
  })
  gauge({
    name: 'medialog_ingest_running',
    help: 'Ingest sagas under way.',
    registers,
    collect() {
      this.set(orchestrator.load().running)
    },
  })
  gauge({
    name: 'medialog_ingest_retrying',
    help: 'Ends of ingest sagas that wait for an engine to come back.',
    registers,
    collect() {
      this.set(orchestrator.load().waiting)
    },
  })
  gauge({
    name: 'medialog_catalog_tombstone_bytes',
    help: 'Space of erased rows, given back by a rebuild of the catalog.',
    registers,
    collect() {
      this.set(tombstones().bytes)
    },
  })
  return {
    requestFinished({ method, route, status, seconds: took }) {
      requests.inc({ method, route, status })
      seconds.observe({ method, route }, took)
    },
    render: async () => ({ contentType: registry.contentType, body: await registry.metrics() }),
  }
}
