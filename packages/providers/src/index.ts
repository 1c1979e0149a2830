export { openProviders, type OpenedProviders } from './providers.ts'
export {
  OFFERS,
  USES,
  type EmbeddingModelReference,
  type ModelReference,
  type ProviderName,
  type ProviderSettings,
  type Use,
} from './settings.ts'
export { tokensInFile } from './spent-tokens.ts'
