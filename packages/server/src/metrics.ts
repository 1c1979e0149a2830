import {
  LIMITS,
  READ_MODELS,
  type AccountEvents,
  type EventStore,
  type Health,
  type Orchestrator,
  type PublishingStatus,
  type ReadModelStatus,
  type WebhooksStatus,
} from '@medialog/application'
import type { FinishedRequest, Metrics } from '@medialog/http'
import { latest } from '@medialog/kernel'
import {
  collectDefaultMetrics,
  Counter,
  Gauge,
  Histogram,
  Registry,
  type GaugeConfiguration,
} from 'prom-client'
import { registerEngineMetrics, type EngineChecks } from './engine-metrics.ts'
import { registerMemoryMetrics } from './memory-metrics.ts'
import type { Part } from './parts/part.ts'
import { registerProviderMetrics } from './provider-metrics.ts'
import { registerPublishingMetrics } from './publishing-metrics.ts'
import { registerWebhookMetrics } from './webhook-metrics.ts'
import { RELEASE } from './release.ts'

/** What is asked whenever the metrics are read: what of it there is, is measured. */
export interface Measured {
  parts: readonly Part[]
  eventStore: Pick<EventStore, 'trouble'>
  /** Of engines on servers. */
  engines: EngineChecks
  /** Of a process that answers requests: it asks for the work, the read models and what is published. */
  health?: () => Promise<Health>
  orchestrator?: Pick<Orchestrator, 'load'>
  accountEvents?: Pick<AccountEvents, 'status'>
  /** Of a process that is asked nothing. */
  readModels?: () => Promise<ReadModelStatus[]>
  publishing?: () => Promise<PublishingStatus | null>
  webhooks?: () => Promise<WebhooksStatus | null>
  /** May throw while the catalog cannot be read. */
  tombstones?: () => { items: number; bytes: number }
  verifications?: () => ReadonlyMap<string, boolean>
}

/**
 * Requests are counted so many at a time, and before anybody reads the metrics: one by one it takes each six microseconds,
 * since what it needs has left the processor's caches between two of them.
 */
const COUNTED_AT_ONCE = 100

/** The registry of everything that can be measured of a running process. */
export function createMetrics(measured: Measured): Metrics {
  const { accountEvents, parts, eventStore, orchestrator, tombstones, verifications } = measured
  const registry = new Registry()
  const registers = [registry]
  collectDefaultMetrics({ register: registry })
  const gauge = <Label extends string>(configuration: GaugeConfiguration<Label>) => {
    const made = new Gauge(configuration)
    // What is not known is left out: one without labels begins with 0, which would be a full disk.
    if (!configuration.labelNames?.length) made.remove()
    return made
  }
  new Gauge({
    name: 'medialog_build_info',
    help: '1, with the release that runs.',
    labelNames: ['version', 'commit'],
    registers,
  }).set({ version: RELEASE.version, commit: RELEASE.commit ?? '' }, 1)
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
  const told = new Counter({
    name: 'medialog_feed_events_total',
    help: 'Events sent to those who follow them over HTTP.',
    registers,
  })
  const refused = new Counter({
    name: 'medialog_connections_refused_total',
    help: 'Connections closed unanswered: there were as many as the limit on open files allows.',
    registers,
  })
  // Asked once for all gauges that a reading of the metrics fills from it.
  const health = askedOnce(measured.health)
  const readModels = askedOnce(
    measured.readModels ?? (measured.health && (async () => (await health.answer())?.readModels ?? [])),
  )
  const publishing = askedOnce(
    measured.publishing ?? (measured.health && (async () => (await health.answer())?.publishing ?? null)),
  )
  const webhooks = askedOnce(
    measured.webhooks ?? (measured.health && (async () => (await health.answer())?.webhooks ?? null)),
  )
  const filled = <Label extends string, Answer>(
    { answer }: Asked<Answer>,
    name: string,
    help: string,
    labels: Label[],
    fill: (gauge: Gauge<Label>, answer: Answer) => void,
  ) =>
    gauge<Label>({
      name,
      help,
      labelNames: labels,
      registers,
      async collect() {
        const found = await answer()
        if (found !== null) fill(this, found)
      },
    })
  gauge({
    name: 'medialog_ready',
    help: 'Whether the process does the work of a role (1).',
    labelNames: ['role'],
    registers,
    async collect() {
      const troubles = await Promise.all(parts.map((part) => part.troubles()))
      for (const [index, { role }] of parts.entries())
        this.set({ role }, Number(troubles[index]!.length === 0))
    },
  })
  registerEngineMetrics(registers, measured.engines)
  registerMemoryMetrics(registers)
  if (measured.health) {
    filled(
      health,
      'medialog_component_operational',
      'Whether a component is operational (1) or degraded or unavailable (0).',
      ['component'],
      (gauge, { components }) => {
        gauge.reset()
        for (const [component, state] of Object.entries(components))
          gauge.set({ component }, Number(state === 'operational'))
      },
    )
    filled(
      health,
      'medialog_limited',
      'Whether something is done less well for those who use the service (1): what is read from files, for want of workers, for a full disk, a wrong clock, or damaged streams.',
      ['by'],
      (gauge, { limitations }) => {
        for (const limit of LIMITS) gauge.set({ by: limit }, Number(limitations[limit] !== undefined))
      },
    )
    filled(
      health,
      'medialog_erasures_pending',
      'Deleted or replaced items whose content is still to be erased; counting stops at 1000.',
      [],
      (gauge, { pendingErasures }) => gauge.set(pendingErasures),
    )
    filled(
      health,
      'medialog_disk_free_bytes',
      'Room on the disk that uploads are written to.',
      [],
      (gauge, { room }) => (room ? gauge.set(room.free) : gauge.remove()),
    )
    filled(
      health,
      'medialog_disk_reserved_bytes',
      'Uploads are refused while less room is left than that.',
      [],
      (gauge, { room }) => (room ? gauge.set(room.reserved) : gauge.remove()),
    )
    registerProviderMetrics(registers, async () => (await health.answer())?.providers ?? [])
  }
  if (readModels.isAsked) {
    filled(
      readModels,
      'medialog_projection_behind_events',
      'Events in the log that a read model has not applied; counting stops at 10 000, which means: at least so many.',
      ['read_model'],
      (gauge, statuses) => {
        for (const { name, behind } of statuses) gauge.set({ read_model: name }, behind)
      },
    )
    filled(
      readModels,
      'medialog_projection_position',
      'The place in the log up to which a read model has applied it.',
      ['read_model'],
      (gauge, statuses) => {
        for (const { name, position } of statuses) gauge.set({ read_model: name }, position)
      },
    )
    filled(
      readModels,
      'medialog_projection_failing',
      'Whether a read model stands still or is rebuilt because it is damaged (1), or whether its host is unavailable.',
      ['read_model'],
      (gauge, statuses) => {
        for (const name of READ_MODELS) {
          const status = statuses.find((readModel) => readModel.name === name)
          gauge.set({ read_model: name }, Number(status?.error !== null))
        }
      },
    )
    filled(
      readModels,
      'medialog_projection_leader',
      'Whether this process is the one that keeps a read model up to date (1).',
      ['read_model'],
      (gauge, statuses) => {
        for (const { name, isLeader } of statuses) gauge.set({ read_model: name }, Number(isLeader))
      },
    )
  }
  if (publishing.isAsked) registerPublishingMetrics(registers, publishing.answer)
  if (webhooks.isAsked) registerWebhookMetrics(registers, webhooks.answer)
  gauge({
    name: 'medialog_log_writable',
    help: 'Whether the event log takes appends: 0 while its writer is being started again, or its server is away.',
    registers,
    collect() {
      this.set(eventStore.trouble() === null ? 1 : 0)
    },
  })
  if (orchestrator) {
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
  }
  if (accountEvents) {
    gauge({
      name: 'medialog_feed_followers',
      help: 'Those who follow the events of an account in this process.',
      registers,
      collect() {
        this.set(accountEvents.status().followers)
      },
    })
    gauge({
      name: 'medialog_feed_catching_up',
      help: 'Of these, how many read the log, since they are further back than what is kept in memory.',
      registers,
      collect() {
        this.set(accountEvents.status().catchingUp)
      },
    })
  }
  if (verifications)
    gauge({
      name: 'medialog_verification_failed',
      help: 'Whether the last proof of its kind that this process made failed or found something (1).',
      labelNames: ['operation'],
      registers,
      collect() {
        for (const [operation, failed] of verifications()) this.set({ operation }, Number(failed))
      },
    })
  if (tombstones)
    gauge({
      name: 'medialog_catalog_tombstone_bytes',
      help: 'Space of erased rows, reclaimed once it is a third of the catalog.',
      registers,
      collect() {
        try {
          this.set(tombstones().bytes)
        } catch {
          // The catalog cannot be read: other gauges say so.
          this.remove()
        }
      },
    })
  const finished: FinishedRequest[] = []
  function countFinished(): void {
    for (const { method, route, status, seconds: took } of finished.splice(0)) {
      requests.inc({ method, route, status })
      seconds.observe({ method, route }, took)
    }
  }
  return {
    requestFinished(request) {
      if (finished.push(request) >= COUNTED_AT_ONCE) countFinished()
    },
    eventsTold: (count) => told.inc(count),
    connectionRefused: () => refused.inc(),
    async render() {
      countFinished()
      for (const source of [health, readModels, publishing, webhooks]) source.ask()
      return { contentType: registry.contentType, body: await registry.metrics() }
    },
  }
}

interface Asked<Answer> {
  isAsked: boolean
  ask(): void
  /** Null where it could not be had. */
  answer: () => Promise<Answer | null>
}

/** A question whose answer holds until it is asked again. */
function askedOnce<Answer>(question: (() => Promise<Answer>) | undefined): Asked<Answer> {
  let answer: Promise<Answer | null> = Promise.resolve(null)
  const find = question && latest(question)
  return {
    isAsked: question !== undefined,
    ask() {
      if (find) answer = find().catch(() => null)
    },
    answer: () => answer,
  }
}
