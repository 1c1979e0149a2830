import { createEmbedder } from '../embedder.ts'

/** Leaves by `process.exit` while the native runtime is at work. */
const embedder = await createEmbedder()
embedder.embed(Array.from({ length: 50 }, () => 'a long text of many words '.repeat(60))).catch(() => {})
setTimeout(() => process.exit(3), 100)
