import { randomUUID } from 'node:crypto'
import {
  createBackground,
  createStreams,
  startAccountEvents,
  unlessAway,
  type Ports,
  type Webhooks,
} from '@medialog/application'
import type { Coordination } from '@medialog/application/ports'
import type { ChainedEventStore } from '@medialog/event-store'
import type { Logger } from 'pino'
import { does, type Config } from './config.ts'
import { engineChecksOf } from './engine-metrics.ts'
import { openEventLog } from './embedded/event-log.ts'
import { requireFittingLeaves, requireFittingLog } from './embedded/log-fits.ts'
import { openProjections } from './embedded/projections.ts'
import { openArtifacts } from './embedded/storage.ts'
import { greetingOf } from './greeting.ts'
import { startHealthListener } from './health-listener.ts'
import { keepSharedLogTree, type TreeTrouble } from './log-tree.ts'
import { createMetrics, type Measured } from './metrics.ts'
import { projectionsPart } from './parts/projections.ts'
import { publisherPart } from './parts/publisher.ts'
import { startConfiguredPublishing } from './publishing.ts'
import { tellOfSending } from './sent-elsewhere.ts'
import type { Started } from './started.ts'
import { createSystemClock } from './system-clock.ts'
import { openWebhooks } from './webhooks.ts'

/** A process that only follows the log: it keeps read models, publishes, or both, and has no folder of its own. */
export async function follow(
  config: Config,
  logger: Logger,
  running: AsyncDisposableStack,
): Promise<Started> {
  const log = running.adopt(await openEventLog(config, logger), (opened) => opened.close())
  if (does(config, 'projections')) await requireFittingIndices(config, log)
  const clock = createSystemClock()
  const { openCoordination } = await import('./embedded/elasticsearch-read-models.ts')
  const coordination = running.adopt(openCoordination(config.elasticsearch!), (opened) => opened.close())
  const followed: Followed = {
    eventStore: log,
    streams: createStreams(log, clock),
    clock,
    background: createBackground((err, attempt) => logger.warn({ err, attempt }, 'trying again')),
    coordination,
    holder: randomUUID(),
  }
  const publishing = running.adopt(await startConfiguredPublishing(config, log, logger), (started) =>
    started.close(),
  )
  const engines = engineChecksOf(config, { ...followed, publishing })
  const measured: Measured = { parts: [], eventStore: log, engines }
  const parts = []
  if (does(config, 'projections')) {
    const projections = running.adopt(await openProjections(config, followed.holder, logger), (opened) =>
      opened.close(),
    )
    const treeTrouble = await keepLeaves(config, followed, logger, running)
    parts.push(projectionsPart(projections, treeTrouble))
    measured.readModels = () => projections.status()
  }
  if (does(config, 'publisher')) {
    const webhooks = await openSending(config, followed, logger, running)
    parts.push(publisherPart(publishing, log, webhooks))
    measured.publishing = () => publishing.status()
    measured.webhooks = async () => webhooks?.status() ?? null
    tellOfSending(config, coordination, { publishing, webhooks }, running)
  }
  const health = await startHealthListener(config, parts, createMetrics({ ...measured, parts }))
  running.defer(() => health.close())
  return { url: health.url, greeting: greetingOf(config.roles!, health.url, 'health and metrics') }
}

/** What everything that follows the log stands on. */
interface Followed extends Pick<Ports, 'streams' | 'clock' | 'background'> {
  eventStore: ChainedEventStore
  coordination: Coordination
  /** Of this process, where several agree who does what. */
  holder: string
}

async function openSending(
  config: Config,
  followed: Followed,
  logger: Logger,
  running: AsyncDisposableStack,
): Promise<Webhooks | null> {
  if (config.webhooks.key === null) return null
  const accountEvents = running.adopt(startAccountEvents(followed), (events) => events.close())
  return openWebhooks(config, { ...followed, accountEvents, logger }, running)
}

async function keepLeaves(
  config: Config,
  followed: Followed,
  logger: Logger,
  running: AsyncDisposableStack,
): Promise<TreeTrouble> {
  const { openSharedLeaves } = await import('./embedded/elasticsearch-read-models.ts')
  const leaves = running.adopt(openSharedLeaves(config.elasticsearch!), (opened) => opened.close())
  await unlessAway(requireFittingLeaves(followed.eventStore, config, leaves))
  return keepSharedLogTree(config, logger, { ...followed, leaves }, running)
}

/** Nothing is written to indices that were made from another log. @throws UnusableDataFolder */
async function requireFittingIndices(config: Config, log: ChainedEventStore): Promise<void> {
  const { elasticsearchCheckpoints } = await import('./embedded/elasticsearch-read-models.ts')
  const elsewhere = await elasticsearchCheckpoints(config.elasticsearch!)
  const stored = { artifacts: await openArtifacts(config), place: 'what processes share' }
  await requireFittingLog(log, config, stored, elsewhere)
}
