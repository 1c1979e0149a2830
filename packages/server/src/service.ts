import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  createApplication,
  createBackground,
  createStreams,
  embeddingProblems,
  unlessAway,
  type Dependencies,
  type ErasureLedger,
  type Orchestrator,
  type Settings,
} from '@medialog/application'
import { createHttpApp, startHttpServer } from '@medialog/http'
import { createInProcessOrchestrator, startEraser, type RecoveryPorts } from '@medialog/workflows'
import { pino, type Logger } from 'pino'
import packageJson from '../package.json' with { type: 'json' }
import type { Config } from './config.ts'
import { listening } from './listening.ts'
import { readableStartError } from './embedded/data-folder.ts'
import { openEmbeddedEngines } from './embedded/engines.ts'
import { openFirstAccount } from './first-account.ts'
import { greeting } from './greeting.ts'
import { createMetrics } from './metrics.ts'
import { startMetricsListener } from './metrics-listener.ts'
import { startConfiguredPublishing } from './publishing.ts'
import { openSecrets } from './secrets.ts'

const VERSION = (packageJson as { version: string }).version

/** The ports that engines fill, whichever they are. */
export interface Engines extends Omit<
  Dependencies,
  'streams' | 'background' | 'orchestrator' | 'publishing' | 'settings'
> {
  erasures: ErasureLedger
  /** Erased rows that still take up space in the catalog. */
  tombstones(): { items: number; bytes: number }
  /** Resolves once no file of the read models holds what was removed from them. */
  flushErased(): Promise<void>
  close(): Promise<void>
}

export interface Service {
  url: string
  /** What to tell the person who started it. */
  greeting: string
  /** Finishes what runs, then lets go of everything. */
  close(): Promise<void>
}

export interface StartOptions {
  /** Stands between the engines and those who use them: how tests bring faults in. */
  adapt?: (engines: Engines) => Engines
}

/** Brings the service up: engines, recovery, first account, HTTP. Resolves when it is ready to serve. */
export async function startService(
  config: Config,
  { adapt = (engines) => engines }: StartOptions = {},
): Promise<Service> {
  const logger = pino({ level: config.logLevel }, pino.destination(2))
  const running = new AsyncDisposableStack()
  try {
    const engines = adapt(
      running.adopt(await openEmbeddedEngines(config, logger), (opened) => opened.close()),
    )
    const { url, apiKey, toDo } = await serve(config, logger, engines, running)
    return { url, greeting: greeting(url, apiKey, toDo), close: () => running.disposeAsync() }
  } catch (error) {
    await running.disposeAsync()
    throw readableStartError(error, config.dataFolder)
  }
}

/** What it starts is stopped in reverse order when `running` is disposed of. */
async function serve(
  config: Config,
  logger: Logger,
  engines: Engines,
  running: AsyncDisposableStack,
): Promise<{ url: string; apiKey: string | null; toDo: string[] }> {
  const { dataFolder, drainMs } = config
  const secrets = openSecrets(dataFolder, config.operatorToken)
  const publishing = running.adopt(
    await startConfiguredPublishing(config.kafka, engines.eventStore, logger),
    (started) => started.close(),
  )
  const dependencies = { ...(await dependenciesOf(config, logger, engines)), publishing }
  const { orchestrator } = dependencies
  running.defer(() => orchestrator.drain(AbortSignal.timeout(drainMs)))
  const recovered = await orchestrator.recover()
  logger.info({ recovered }, 'recovered')
  const eraser = startEraser({ ...dependencies, ...engines }, (error) =>
    logger.error({ err: error }, 'erasing failed'),
  )
  running.defer(() => eraser.close())
  const application = createApplication(dependencies)
  // What was stored with another embedder is there and found, but the operator has a say in what becomes of it.
  const embeddings = await unlessAway(application.operator.embeddings())
  const toDo = embeddings ? embeddingProblems(embeddings) : []
  for (const problem of toDo) logger.warn(problem)
  const metrics = createMetrics({
    eventStore: engines.eventStore,
    orchestrator,
    health: () => application.health(),
    tombstones: () => engines.tombstones(),
  })
  if (config.metricsPort !== null) {
    const listener = await startMetricsListener(config, metrics)
    running.defer(() => listener.close())
  }
  const app = createHttpApp({
    application,
    staging: engines.staging,
    rateLimiter: engines.rateLimiter,
    tierLimits: config.rateLimits,
    positionSecret: secrets.positionSecret,
    operatorToken: secrets.operatorToken,
    logger,
    clock: engines.clock,
    version: VERSION,
    environment: config.environment,
    metrics,
    metricsToken: secrets.operatorToken,
  })
  const server = await listening('PORT', config.port, () => startHttpServer(app, config))
  running.defer(() => server.close(drainMs))
  // Only now: a start that ended at its port must not have spent the one time that the key is shown.
  const apiKey = await openFirstAccount(application, dataFolder)
  const note = join(dataFolder, 'server.json')
  writeFileSync(note, `${JSON.stringify({ url: server.url, pid: process.pid })}\n`, { mode: 0o600 })
  running.defer(() => rmSync(note, { force: true }))
  return { url: server.url, apiKey, toDo }
}

async function dependenciesOf(
  config: Config,
  logger: Logger,
  engines: Engines,
): Promise<Omit<Dependencies, 'publishing'>> {
  const streams = createStreams(engines.eventStore, engines.clock)
  const { prices, quotas, openBatches, batchBytes } = config
  const settings: Settings = { prices, quotas, openBatches, batchBytes, readYourWritesMs: 5_000 }
  const background = createBackground((error, attempt) => logger.warn({ error, attempt }, 'trying again'))
  const ports = { ...engines, streams, background, settings }
  return { ...ports, orchestrator: await openOrchestrator(config, logger, ports) }
}

async function openOrchestrator(config: Config, logger: Logger, ports: RecoveryPorts): Promise<Orchestrator> {
  if (config.temporal === null) return createInProcessOrchestrator(ports)
  // Its client is large, and native: loaded where it is asked for.
  const { openTemporalOrchestrator } = await import('@medialog/workflows/temporal/orchestrator')
  const onTrouble = (what: string, details: unknown) => logger.warn({ details }, what)
  return openTemporalOrchestrator(ports, { ...config.temporal, onTrouble })
}
