export { createEmbedder, type LocalEmbedder } from './embedder.ts'
export { openModelFolder, readModelFolder, UnusableModel } from './folder.ts'
export { createFormerEmbedders } from './former.ts'
export { MODEL_IN_THE_BOX } from './model.ts'
