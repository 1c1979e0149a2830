export { createExtractiveModel, type ExtractiveOptions } from './answer/extractive.ts'
export type { Lexicon } from './answer/asked.ts'
export { createOfflineEnricher } from './enrich/offline.ts'
export { createUnderstanding } from './pipeline.ts'
