import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  createApplication,
  createBackground,
  createStreams,
  startAccountEvents,
  embeddingProblems,
  unlessAway,
  type Application,
  type Ports,
  type Orchestrator,
  type Settings,
} from '@medialog/application'
import type { Metrics } from '@medialog/http'
import { createInProcessOrchestrator, type RecoveryPorts } from '@medialog/workflows'
import type { Logger } from 'pino'
import { engineChecksOf } from './engine-metrics.ts'
import { does, isShared, type Config } from './config.ts'
import { openEmbeddedEngines } from './embedded/engines.ts'
import { openHostId } from './embedded/host-id.ts'
import { erasedStores } from './erased-stores.ts'
import { openFirstAccount } from './first-account.ts'
import { greeting, greetingOf } from './greeting.ts'
import { startHealthListener } from './health-listener.ts'
import { keepSharedLogTree, openLogTree } from './log-tree.ts'
import { createMetrics } from './metrics.ts'
import { apiPart, listenForRequests } from './parts/api.ts'
import type { Part } from './parts/part.ts'
import { projectionsPart } from './parts/projections.ts'
import { publisherPart } from './parts/publisher.ts'
import { startWorker } from './parts/worker.ts'
import { startConfiguredPublishing } from './publishing.ts'
import { openSecrets } from './secrets.ts'
import { hearOfSending, tellOfSending } from './sent-elsewhere.ts'
import type { Engines } from './engines.ts'
import type { Started, StartOptions } from './started.ts'
import { openWebhooks } from './webhooks.ts'

/** A process that answers requests, carries work, or both. What it starts is stopped in reverse order with `running`. */
export async function serve(
  config: Config,
  logger: Logger,
  adapt: NonNullable<StartOptions['adapt']>,
  running: AsyncDisposableStack,
): Promise<Started> {
  const engines = adapt(running.adopt(await openEmbeddedEngines(config, logger), (opened) => opened.close()))
  const publishing = running.adopt(
    await startConfiguredPublishing(config, engines.eventStore, logger),
    (started) => started.close(),
  )
  const ported = await portsOf(config, logger, engines)
  const logTree = running.adopt(openLogTree(config, logger, { ...ported, leaves: engines.leaves }), (tree) =>
    tree.close(),
  )
  const holder = openHostId(config.dataFolder)
  const treeTrouble =
    config.roles && does(config, 'projections')
      ? keepSharedLogTree(
          config,
          logger,
          { ...ported, coordination: engines.coordination!, leaves: engines.leaves, holder },
          running,
        )
      : undefined
  const accountEvents = running.adopt(startAccountEvents(ported), (events) => events.close())
  const webhooks = await openWebhooks(config, { ...ported, accountEvents, holder, logger }, running)
  if (config.roles && does(config, 'publisher') && engines.coordination)
    tellOfSending(config, engines.coordination, { publishing, webhooks }, running)
  const sentElsewhere = hearOfSending(config, engines.coordination, running)
  const ports = { ...ported, publishing, sentElsewhere, logTree, accountEvents, webhooks }
  const { orchestrator } = ports
  running.defer(() => orchestrator.drain(AbortSignal.timeout(config.drainMs)))
  const parts: Part[] = []
  if (does(config, 'projections')) parts.push(projectionsPart(engines.projections, treeTrouble))
  if (does(config, 'publisher') && (config.kafka || (config.roles && webhooks)))
    parts.push(publisherPart(publishing, engines.eventStore, webhooks))
  if (does(config, 'worker'))
    parts.push(await startWorker({ ...ports, ...engines }, logger, running, { isAlone: !isShared(config) }))
  const application = does(config, 'api') ? createApplication(ports) : null
  if (application) parts.push(apiPart(application))
  const metrics = createMetrics({
    parts,
    eventStore: engines.eventStore,
    engines: engineChecksOf(config, { ...engines, publishing, orchestrator }),
    orchestrator,
    ...(application
      ? {
          accountEvents,
          health: () => application.status.health(),
          tombstones: () => engines.tombstones(),
          verifications: () => application.operations.verifications(),
        }
      : measuredOf(config, engines, publishing, webhooks)),
  })
  const health = config.metricsPort === null ? null : await startHealthListener(config, parts, metrics)
  if (health) running.defer(() => health.close())
  return application
    ? answer(config, application, engines, metrics, logger, running)
    : { url: health!.url, greeting: greetingOf(config.roles!, health!.url, 'health and metrics') }
}

const measuredOf = (
  config: Config,
  { projections }: Engines,
  publishing: Ports['publishing'],
  webhooks: Ports['webhooks'],
) => ({
  ...(does(config, 'projections') && { readModels: () => projections.status() }),
  ...(does(config, 'publisher') && {
    publishing: () => publishing.status(),
    webhooks: async () => webhooks?.status() ?? null,
  }),
})

/** Takes requests; a process that is alone with its log sees to its first account too. */
async function answer(
  config: Config,
  application: Application,
  engines: Engines,
  metrics: Metrics,
  logger: Logger,
  running: AsyncDisposableStack,
): Promise<Started> {
  const { dataFolder, roles } = config
  // What was stored with another embedder is there and found, but the operator has a say in what becomes of it.
  const embeddings = await unlessAway(application.status.embeddings())
  const toDo = embeddings ? embeddingProblems(embeddings) : []
  if (config.production && (await unlessAway(hasNoAccount(application))))
    toDo.push(
      'open an account, and give it a key: `medialog accounts create NAME`, `medialog keys create NAME`',
    )
  for (const problem of toDo) logger.warn(problem)
  const secrets = openSecrets(config)
  const { url, adminUrl } = await listenForRequests({
    config,
    application,
    engines,
    secrets,
    metrics,
    logger,
    running,
  })
  if (roles) return { url, greeting: greetingOf(roles, url) }
  // Only now: a start that ended at its port must not have spent the one time that the key is shown.
  const apiKey = config.production ? null : await openFirstAccount(application, dataFolder)
  const note = join(dataFolder, 'server.json')
  // The owner of the folder has the operator's token, too.
  writeFileSync(note, `${JSON.stringify({ url: adminUrl, pid: process.pid })}\n`, { mode: 0o600 })
  running.defer(() => rmSync(note, { force: true }))
  return { url, greeting: greeting(url, apiKey, toDo) }
}

const hasNoAccount = async ({ accounts }: Pick<Application, 'accounts'>): Promise<boolean> =>
  (await accounts.list({ page: 1, pageSize: 1 })).total === 0

async function portsOf(
  config: Config,
  logger: Logger,
  engines: Engines,
): Promise<Omit<Ports, 'publishing' | 'sentElsewhere' | 'logTree' | 'accountEvents' | 'webhooks'>> {
  const streams = createStreams(engines.eventStore, engines.clock)
  const { prices, quotas, openBatches, batchBytes, mostWebhooks: webhooks } = config
  const settings: Settings = {
    prices,
    quotas,
    mostVectors: engines.search.mostVectors(engines.embedder.dimensions),
    openBatches,
    batchBytes,
    webhooks,
    erasedStores: erasedStores(config),
    readYourWritesMs: 5_000,
  }
  const background = createBackground((err, attempt) => logger.warn({ err, attempt }, 'trying again'))
  const ports = { ...engines, streams, background, settings }
  return { ...ports, orchestrator: await openOrchestrator(config, logger, ports) }
}

async function openOrchestrator(config: Config, logger: Logger, ports: RecoveryPorts): Promise<Orchestrator> {
  const { temporal, longestRequestMs, drainMs } = config
  if (temporal === null) return createInProcessOrchestrator(ports)
  // Its client is large, and native: loaded where it is asked for.
  const { openTemporalOrchestrator } = await import('@medialog/workflows/temporal/orchestrator')
  return openTemporalOrchestrator(ports, {
    ...temporal,
    works: does(config, 'worker'),
    ...(isShared(config) && { longestRequestMs, graceMs: drainMs }),
    onTrouble: (what, details) => logger.warn(details, what),
  })
}
