export { createOfflineEnricher } from './enrich/offline.ts'
export { createUnderstanding } from './pipeline.ts'
