import type { OpenedProviders, ProviderSettings } from '@medialog/providers'
import type { Logger } from 'pino'
import { foldersIn } from './embedded/folders.ts'

/** Nothing but the offline methods. */
const NONE: OpenedProviders = {
  status: () => [],
  answering: (offline) => offline,
  enriching: (offline) => offline,
  perceiver: null,
  embedder: null,
  formerEmbedder: null,
}

/** The models of providers; their libraries are loaded only where some are configured. */
export async function openConfiguredProviders(
  settings: ProviderSettings | null,
  dataFolder: string,
  logger: Logger,
): Promise<OpenedProviders> {
  if (!settings) return NONE
  const { openProviders, tokensInFile } = await import('@medialog/providers')
  return openProviders(settings, {
    onFallback: (use, { message }) => logger.warn({ use }, `made without the model provider: ${message}`),
    keptTokens: tokensInFile(foldersIn(dataFolder).providerTokens, (err) =>
      logger.warn({ err }, 'a restart will not know all that was spent of the budget of tokens'),
    ),
  })
}
