import type { Embedder, FormerEmbedders } from '@medialog/application'
import {
  createEmbedder,
  createFormerEmbedders,
  MODEL_IN_THE_BOX,
  openModelFolder,
  readModelFolder,
  UnusableModel,
} from '@medialog/embedder'
import type { Logger } from 'pino'
import { InvalidConfiguration, type Config } from '../config.ts'

/** Who embeds what. */
interface Embedders {
  /** The constants of the offline methods were measured with it, so they keep to it. */
  inTheBox: Embedder
  /** The configured one: it embeds what is stored and searched. */
  embedder: Embedder
  formerEmbedders: FormerEmbedders
  close(): Promise<void>
}

type Folders = Pick<Config, 'embedders' | 'embedderFolder' | 'formerEmbedderFolder'>

/**
 * `ofProvider`: the former one of a provider, if any.
 * @throws InvalidConfiguration where a folder that is named holds no model that can be used; EngineUnavailable
 */
export async function openEmbedders(
  { embedders: workers, embedderFolder, formerEmbedderFolder }: Folders,
  logger: Logger,
  ofProvider: Embedder | null,
): Promise<Embedders> {
  const former =
    formerEmbedderFolder === null
      ? null
      : await usable('MEDIALOG_FORMER_EMBEDDER', readModelFolder(formerEmbedderFolder))
  const configured =
    embedderFolder === null
      ? null
      : await usable('MEDIALOG_EMBEDDER', openModelFolder(embedderFolder, { workers }))
  const inTheBox = await createEmbedder({ workers }).catch(async (error: unknown) => {
    await configured?.close()
    throw error
  })
  const embedder = configured ?? inTheBox
  const formerEmbedders = createFormerEmbedders({
    models: former ? [MODEL_IN_THE_BOX, former] : [MODEL_IN_THE_BOX],
    opened: [inTheBox, embedder, ...(ofProvider ? [ofProvider] : [])],
    workers: 1,
    onUnusable: (model, error) =>
      logger.warn({ err: error, model }, 'a former embedder cannot be opened: its items are found by words'),
  })
  return {
    inTheBox,
    embedder,
    formerEmbedders,
    async close() {
      await Promise.all([formerEmbedders.close(), inTheBox.close(), configured?.close()])
    },
  }
}

/** @throws InvalidConfiguration where what is opened holds no model that can be used */
export async function usable<T>(setting: string, opening: Promise<T>): Promise<T> {
  try {
    return await opening
  } catch (error) {
    if (!(error instanceof UnusableModel)) throw error
    throw new InvalidConfiguration(`${setting}: ${error.message}.`)
  }
}
