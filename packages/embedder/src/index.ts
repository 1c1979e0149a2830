export { createEmbedder } from './embedder.ts'
