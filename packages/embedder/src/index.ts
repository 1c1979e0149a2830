export { createEmbedder, type EmbedderOptions } from './embedder.ts'
export { countTokens, tokenize, type Tokens } from './tokenizer.ts'
