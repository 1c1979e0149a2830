import type {
  ArtifactStore,
  Coordination,
  EventStore,
  Orchestrator,
  Publishing,
  RateLimiter,
} from '@medialog/application'
import { latest } from '@medialog/kernel'
import { Gauge, type Registry } from 'prom-client'
import { does, type Config } from './config.ts'

/** What a process uses of engines on servers, each asked for a real answer. */
export interface UsedEngines {
  eventStore: Pick<EventStore, 'head'>
  coordination: Pick<Coordination, 'positions'> | null
  publishing: Pick<Publishing, 'check'>
  orchestrator?: Pick<Orchestrator, 'check'>
  artifacts?: Pick<ArtifactStore, 'check'>
  rateLimiter?: Pick<RateLimiter, 'check'>
}

/** By the name of the engine: rejects while it is unavailable. */
export type EngineChecks = Record<string, () => Promise<unknown>>

/** Of those that are configured: what is not is in this process or its folder. */
export function engineChecksOf(config: Config, used: UsedEngines): EngineChecks {
  const { eventStore, coordination, publishing, orchestrator, artifacts, rateLimiter } = used
  return {
    ...(config.eventStoreDb && { eventstoredb: () => eventStore.head() }),
    ...(config.elasticsearch && coordination && { elasticsearch: () => coordination.positions() }),
    ...(config.temporal && orchestrator && { temporal: () => orchestrator.check() }),
    ...(config.kafka && does(config, 'publisher') && { kafka: () => publishing.check() }),
    ...(artifacts && config.bucket && { s3: () => artifacts.check() }),
    ...(artifacts && config.sharedFolder && { 'shared-folder': () => artifacts.check() }),
    ...(config.redis && does(config, 'api') && rateLimiter && { redis: () => rateLimiter.check() }),
  }
}

/** Registers whether each engine answers. */
export function registerEngineMetrics(registers: Registry[], checks: EngineChecks): void {
  const answers = Object.entries(checks).map(([engine, check]) => ({ engine, ask: latest(check) }))
  void new Gauge({
    name: 'medialog_engine_available',
    help: 'Whether an engine that is configured answers this process (1).',
    labelNames: ['engine'],
    registers,
    async collect() {
      await Promise.all(
        answers.map(async ({ engine, ask }) => {
          const available = await ask().then(
            () => 1,
            () => 0,
          )
          this.set({ engine }, available)
        }),
      )
    },
  })
}
