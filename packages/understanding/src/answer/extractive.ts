import type { GroundingPassage, LanguageModel } from '@medialog/application/ports'
import type { AnsweringEmbedder } from './embedder-port.ts'
import { AnsweringThreads } from './threads.ts'
import { DISCLAIMER } from './wording.ts'

const MODEL = 'medialog-extractive-1'

export interface ExtractiveOptions {
  /** Belongs to the caller, who closes it. */
  embedder: AnsweringEmbedder
  /** A module that exports a `Lexicon`: threads load it themselves. */
  lexicon: URL
}

/**
 * Extractive question answering without a network: it selects and quotes, in threads of its own. Deterministic:
 * `temperature` and `instructions` change nothing; `context` is material to quote from, and what a question like "how
 * deep was it?" points back to. Tokens are word pieces of the embedding model in the box.
 */
export function createExtractiveModel({ embedder, lexicon }: ExtractiveOptions): LanguageModel {
  const threads = new AnsweringThreads(embedder, lexicon)
  return {
    model: MODEL,
    disclaimer: DISCLAIMER,
    countTokens: (texts, { most = Infinity, ...work } = {}) => threads.run('count', { texts, most }, work),
    async *answer({ passages, ...question }, work = {}) {
      const asked = { ...question, passages: passages.map(bare) }
      for (const part of await threads.run('answer', asked, work)) {
        work.signal?.throwIfAborted()
        yield part
      }
    },
    analyze: ({ passages, ...question }, work = {}) =>
      threads.run('analyze', { ...question, passages: passages.map(bare) }, work),
    close: () => threads.close(),
  }
}

/** What else callers know of a passage need not be copied into the thread. */
const bare = ({ text, relevance }: GroundingPassage): GroundingPassage => ({ text, relevance })
