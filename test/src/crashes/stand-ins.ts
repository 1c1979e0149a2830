import { readFile } from 'node:fs/promises'
import { UnreadableFile } from '@medialog/application'
import type {
  AnswerPart,
  Embedder,
  LanguageModel,
  Search,
  Understanding,
  Understood,
} from '@medialog/application/ports'
import { TEXT_FORMAT, understoodOf } from '@medialog/projections/testing/history'

async function readText(path: string) {
  const text = await readFile(path, 'utf8')
  if (text.startsWith('broken')) throw new UnreadableFile('corrupted', 'The file is broken.')
  return understoodOf(text)
}

/** A file is its text; one that starts with `broken` cannot be read. `model` names the embedder of the moment. */
export const understandingBy = (model: () => string) => {
  const embedded = (understood: Understood): Understood => ({
    ...understood,
    vectors: { ...understood.vectors, model: model() },
  })
  return {
    largestFile: 1e6,
    identify: () => TEXT_FORMAT,
    understand: async ({ path }) => embedded(await readText(path)),
    read: ({ path }) => readText(path),
    // The first chunk is made of the others.
    embed: async ([, ...chunks]) =>
      embedded(understoodOf(chunks.map(({ text }) => text).join('\n\n'))).vectors,
    trouble: async () => null,
    close: async () => undefined,
  } satisfies Understanding
}

/** As `understandingBy` embeds. */
export const embedderBy = (model: () => string) =>
  ({
    get model() {
      return model()
    },
    dimensions: 8,
    cosineFloor: 0,
    embed: async (texts) => texts.map((text) => understoodOf(text).vectors.combined),
    close: async () => undefined,
  }) satisfies Embedder

const PARTS: AnswerPart[] = [
  { type: 'text', text: 'So it is [1].' },
  { type: 'end', cited: [0], answered: true, outputTokens: 4 },
]

/** Says the same to every question. */
export const languageModel = {
  model: 'stand-in',
  disclaimer: 'Made up.',
  countTokens: async (texts) => texts.map(({ length }) => length),
  async *answer() {
    yield* PARTS
  },
  analyze: async () => ({
    summary: 'A text.',
    keyElements: [],
    relevantDetails: '',
    mainResponse: 'Forty tons.',
    insights: [],
    additionalConsiderations: '',
  }),
  close: async () => undefined,
} satisfies LanguageModel

/** Finds nothing, one level deep. */
export const search = {
  prepare: async () => ({
    models: [],
    collections: ['default'],
    search: async () => ({ hits: [], total: 0, distribution: {} }),
    advanced: async () => ({ hits: [], total: 0, distribution: {}, depthReached: 1 }),
  }),
} as unknown as Search
