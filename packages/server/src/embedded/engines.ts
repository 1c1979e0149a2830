import { unlessAway } from '@medialog/application'
import { lockDataFolder, openSqliteLeaves } from '@medialog/event-store'
import { followProjections } from '@medialog/projections'
import { LEXICON } from '@medialog/read-model'
import {
  createExtractiveModel,
  createUnderstanding,
  findTrainedData,
  openTranscriber,
} from '@medialog/understanding'
import { createOfflineEnricher } from '@medialog/understanding/enrich/offline'
import type { Logger } from 'pino'
import { does, isShared, type Config } from '../config.ts'
import type { ElasticsearchSettings } from '../elasticsearch-settings.ts'
import type { Engines } from '../engines.ts'
import { openConfiguredProviders } from '../providers.ts'
import { openConfiguredRateLimiter } from '../rate-limiter.ts'
import { openSandbox } from '../sandbox.ts'
import { keepPrivate } from './data-folder.ts'
import { openEmbedders, usable } from './embedders.ts'
import { openEventLog } from './event-log.ts'
import { foldersIn } from './folders.ts'
import { openHostId } from './host-id.ts'
import { createSystemClock } from '../system-clock.ts'
import { requireFittingLeaves, requireFittingLog } from './log-fits.ts'
import { bringUpToDate } from './migrate-folder.ts'
import { openProjections } from './projections.ts'
import { openSqliteReadModels } from './sqlite-read-models.ts'
import { openStorage } from './storage.ts'

/**
 * The engines of one process on one data folder, which it owns until they are closed.
 * @throws DataFolderInUse, EngineUnavailable, InvalidConfiguration, LanguageNotInstalled, LogDamaged, UnusableBucket,
 * UnusableDataFolder
 */
export async function openEmbeddedEngines(config: Config, logger: Logger): Promise<Engines> {
  const { dataFolder, elasticsearch, hears, speechFolder } = config
  const trained = findTrainedData(config.ocrLanguages, config.ocrDataFolder)
  // Closed in reverse order of opening, also when a later one fails to open.
  const opened = new AsyncDisposableStack()
  const open = <T extends { close(): unknown }>(engine: T): T =>
    opened.adopt(engine, (it) => it.close() as Promise<void>)
  try {
    const lock = lockDataFolder(dataFolder)
    opened.defer(() => lock.release())
    keepPrivate(dataFolder)
    await bringUpToDate(dataFolder, (what) => logger.warn(what))
    const eventStore = open(await openEventLog(config, logger))
    const storage = open(
      await openStorage(config, isShared(config), (err) =>
        logger.warn({ err }, 'sweeping the bucket failed and is done again'),
      ),
    )
    const { artifacts, staging, keptAnswers } = storage
    const distributed = elasticsearch && (await openIndices(elasticsearch))
    // Opened before those who agree through it, so that it is closed after them.
    const coordination = distributed && open(distributed.coordination())
    const elsewhere = distributed ? await distributed.checkpoints() : []
    await requireFittingLog(eventStore, config, storage, elsewhere)
    const leaves = open(
      config.roles === null ? openSqliteLeaves(foldersIn(dataFolder).leaves) : distributed!.leaves(),
    )
    const fitting = requireFittingLeaves(eventStore, config, leaves)
    // Those of a server that is away are looked at by whoever keeps them.
    await (config.roles === null ? fitting : unlessAway(fitting))
    const rateLimiter = open(
      await openConfiguredRateLimiter(does(config, 'api') ? config.redis : null, logger),
    )
    const opening = openConfiguredProviders(config.providers, dataFolder, logger)
    const [sandbox, projections, embedders, providers] = await Promise.all([
      openSandbox(config, logger),
      coordination && !does(config, 'projections')
        ? followProjections({ coordination, log: eventStore, holder: null })
        : openProjections(config, openHostId(dataFolder), logger),
      opening.then(({ formerEmbedder }) => openEmbedders(config, logger, formerEmbedder)),
      opening,
    ])
    open(projections)
    const { inTheBox, formerEmbedders } = open(embedders)
    const embedder = providers.embedder ? open(providers.embedder) : embedders.embedder
    const enricher = open(providers.enriching(createOfflineEnricher({ embedder: inTheBox })))
    const { perceiver } = providers
    const transcriber = hears ? open(await usable('MEDIALOG_SPEECH', openTranscriber(speechFolder))) : null
    const understanding = open(
      createUnderstanding({
        enricher,
        embedder,
        perceiver,
        transcriber,
        previews: config.previews,
        pool: { concurrency: config.extractors, confined: config.sandbox === 'required', trained },
      }),
    )
    const { close: _, ...readModels } = open(
      distributed
        ? distributed.readModels()
        : openSqliteReadModels({
            dataFolder,
            catalogPosition: () => projections.position('catalog'),
            // Whether it was heard matters to nobody: the next read that comes upon it says it again.
            onDamage: (name, damage) =>
              void (async () => projections.damaged(name, damage))().catch(() => undefined),
            logger,
          }),
    )
    return {
      clock: createSystemClock(),
      eventStore,
      logVerifier: eventStore,
      logScavenger: eventStore,
      leaves,
      artifacts,
      staging,
      keptAnswers,
      rateLimiter,
      understanding,
      sandbox,
      embedder,
      formerEmbedders,
      // What a word is, search and answers agree on.
      languageModel: open(
        providers.answering(createExtractiveModel({ embedder: inTheBox, lexicon: LEXICON })),
      ),
      providers,
      projections,
      coordination,
      ...readModels,
      flushErased: () => projections.flushErased(),
      close: () => opened.disposeAsync(),
    }
  } catch (error) {
    await opened.disposeAsync()
    throw error
  }
}

/** Its client takes time and memory to load: only who uses it pays for that. */
async function openIndices(settings: ElasticsearchSettings) {
  const { elasticsearchCheckpoints, openCoordination, openElasticsearchReadModels, openSharedLeaves } =
    await import('./elasticsearch-read-models.ts')
  return {
    checkpoints: () => elasticsearchCheckpoints(settings),
    readModels: () => openElasticsearchReadModels(settings),
    coordination: () => openCoordination(settings),
    leaves: () => openSharedLeaves(settings),
  }
}
