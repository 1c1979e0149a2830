import type { Embedder, LanguageModel } from '@medialog/application'
import { createEmbedder } from '@medialog/embedder'
import { LEXICON } from '@medialog/read-model'
import { createExtractiveModel } from '@medialog/understanding'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { askEachDocument, askLibrary, questions, remembering, shares, type Outcome } from './evaluate.ts'

let embedder: Embedder
let model: LanguageModel
beforeAll(async () => {
  embedder = remembering(await createEmbedder())
  model = createExtractiveModel({ embedder, lexicon: LEXICON })
})
afterAll(async () => {
  await model.close()
  await embedder.close()
})

const wrong = (outcomes: readonly Outcome[]): string =>
  outcomes
    .filter(({ right }) => !right)
    .map(({ question, text }) => `${question} → ${text}`)
    .join('\n')

test('there are questions enough to tell', () => {
  const asked = questions()
  expect(asked.filter(({ answer }) => answer !== null).length).toBeGreaterThanOrEqual(40)
  expect(asked.filter(({ answer }) => answer === null).length).toBeGreaterThanOrEqual(20)
})

test.each([
  ['asked of the document that it is about', () => askEachDocument(model)],
  ['asked of all documents together', () => askLibrary(model, embedder)],
])(
  'four of five questions are answered with the right words, seven of ten that have no answer get none: %s',
  async (_, ask) => {
    const outcomes = await ask()
    const { answerable, unanswerable } = shares(outcomes)
    expect(answerable, wrong(outcomes)).toBeGreaterThanOrEqual(0.8)
    expect(unanswerable, wrong(outcomes)).toBeGreaterThanOrEqual(0.7)
  },
  300_000,
)
