import type {
  AnswerPart,
  Embedder,
  Enrichment,
  FileQuestion,
  LanguageModel,
  Question,
} from '@medialog/application/ports'
import { createEmbedder } from '@medialog/embedder'
import { LEXICON } from '@medialog/read-model'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createExtractiveModel } from './extractive.ts'

let embedder: Embedder
let model: LanguageModel
beforeAll(async () => {
  embedder = await createEmbedder()
  model = createExtractiveModel({ embedder, lexicon: LEXICON })
})
afterAll(async () => {
  await model.close()
  await embedder.close()
})
const tokensOf = async (text: string): Promise<number> => (await model.countTokens([text]))[0]!

const BRIDGE =
  'The Tacoma bridge opened in July 1940. Its deck was stiffened by girders only eight feet deep. Nobody was killed but a dog.'
const KIMCHI = 'A jar of kimchi is a small ecosystem. Put six cloves of garlic into the jar.'
const question = (changes: Partial<Question> = {}): Question => ({
  query: 'When did the Tacoma bridge open?',
  context: null,
  instructions: null,
  passages: [KIMCHI, BRIDGE].map((text) => ({ text, relevance: 0.5 })),
  temperature: 0.7,
  maxTokens: 1024,
  ...changes,
})

async function answer(changes?: Partial<Question>, signal?: AbortSignal) {
  const parts: AnswerPart[] = []
  for await (const part of model.answer(question(changes), signal && { signal })) parts.push(part)
  const end = parts.at(-1)!
  if (end.type !== 'end') throw new Error('an answer ends with its end')
  const text = parts.map((part) => (part.type === 'text' ? part.text : '')).join('')
  return { ...end, text, pieces: parts.length - 1 }
}

test('quotes the sentence that answers, and cites the passage in which it stands', async () => {
  const { text, cited, answered, outputTokens, pieces } = await answer()
  expect(text).toContain('“The Tacoma bridge opened in July 1940.” [1]')
  expect(cited).toEqual([1])
  expect(answered).toBe(true)
  expect(outputTokens).toBe(await tokensOf(text))
  expect(pieces).toBeGreaterThan(1)
})

test('says plainly when there is no answer, or no material', async () => {
  for (const passages of [question().passages, []]) {
    const { text, cited, answered } = await answer({
      query: 'What is the price of gold in London?',
      passages,
    })
    expect(text).toBe('The material holds no answer to this question.')
    expect(cited).toEqual([])
    expect(answered).toBe(false)
  }
})

test('the same question has the same answer, whatever the temperature and the instructions', async () => {
  const first = await answer({ temperature: 0 })
  expect(await answer({ temperature: 1, instructions: 'Answer in verse.' })).toEqual(first)
})

test.each([1, 2, 5, 12, 20, 1024])('has at most %i tokens, whole words only', async (maxTokens) => {
  const whole = (await answer()).text
  const { text, outputTokens } = await answer({ maxTokens })
  expect(outputTokens).toBeLessThanOrEqual(maxTokens)
  expect(await tokensOf(text)).toBe(outputTokens)
  expect(whole.startsWith(text)).toBe(true)
  expect(/\w$/.test(text) && /^\w/.test(whole.slice(text.length))).toBe(false)
})

test('what was said before is no evidence', async () => {
  const { text, cited, answered } = await answer({
    query: 'Who is the mayor of Kathmandu?',
    context: 'Assistant: I believe that the mayor of Kathmandu is Leon Moisseiff.',
  })
  expect(text).toBe('The material holds no answer to this question.')
  expect(answered).toBe(false)
  expect(cited).toEqual([])
})

test('a question that points back is understood by the context', async () => {
  const context = 'Earlier we spoke of the Tacoma bridge and its deck.'
  expect((await answer({ query: 'How deep were its girders?', context })).text).toContain('eight feet deep')
})

test('a question for an overview is answered with the sentences that stand for the material', async () => {
  const { text, answered } = await answer({
    query: 'What is this document about?',
    passages: [{ text: BRIDGE, relevance: null }],
  })
  expect(answered).toBe(true)
  expect(text).toMatch(/“.*bridge.*” \[1\]/i)
})

test('finds the one passage in a book', async () => {
  const filler = Array.from({ length: 300 }, (_, i) => ({
    text: `Chapter ${i} tells of weather, harvests and the price of wheat in the year ${1500 + i}. Nothing else happened.`,
    relevance: null,
  }))
  const passages = [...filler.slice(0, 200), { text: KIMCHI, relevance: null }, ...filler.slice(200)]
  const { text, cited } = await answer({ query: 'How many cloves of garlic go into the jar?', passages })
  expect(text).toContain('six cloves of garlic')
  expect(cited).toEqual([200])
})

test('text in other scripts is matched by its words', async () => {
  const passages = [
    { text: '세종대왕은 한글을 만들었다. 김치는 배추로 만든다.', relevance: null },
    { text: '김치는 배추로 만든다.', relevance: null },
  ]
  const { text } = await answer({ query: '세종대왕은 한글을 만들었다', passages })
  expect(text).toContain('“세종대왕은 한글을 만들었다.”')
})

test('hostile text does no harm', async () => {
  const passages = [
    {
      text: 'The Tacoma bridge opened\r\n\r\ndata: x\u0000\u2028event: done in July 1940. </script><b>“quoted”</b>',
      relevance: null,
    },
    { text: 'z'.repeat(200_000), relevance: null },
    { text: '', relevance: null },
    { text: ' \n\t ', relevance: 1 },
  ]
  const { text } = await answer({
    passages,
    query: `${'('.repeat(500)} When did the Tacoma bridge open? [a-z]*`.repeat(50),
  })
  // oxlint-disable-next-line no-control-regex -- looking for just these
  expect(text).not.toMatch(/[\u0000\u2028\r]/)
})

test('a question of one endless word takes no time', async () => {
  expect((await answer({ query: 'z'.repeat(1_000_000) })).answered).toBe(false)
})

test('an abort ends it with its reason', async () => {
  const reason = new Error('gone')
  await expect(answer({}, AbortSignal.abort(reason))).rejects.toBe(reason)
})

test('counts tokens as the embedding model does, and stops where it is told to', async () => {
  expect(await model.countTokens(['The Hunminjeongeum.', ''])).toEqual([8, 0])
  expect(await model.countTokens(['word '.repeat(1_000_000), 'more'], { most: 100 })).toEqual([101])
})

const enrichment: Enrichment = {
  summary: 'A bridge opened and fell.',
  description: 'A text file.',
  topics: [],
  keywords: ['bridge', 'girders'],
  categories: [],
  emotions: [],
  entities: { people: ['Leon Moisseiff'], organizations: [], locations: [], objects: [], concepts: [] },
  quality: { clarity: 0.9, completeness: 0.8, relevance: 0.7, technical: 0.6 },
  model: 'test',
}
const file = (changes: Partial<FileQuestion> = {}): FileQuestion => ({
  ...question(),
  filename: 'bridge.txt',
  mediaType: 'document',
  enrichment,
  extraction: {
    format: 'txt',
    mediaType: 'document',
    text: BRIDGE,
    title: null,
    author: null,
    language: 'en',
    sections: [{ title: 'The bridge', level: 1, contentType: 'heading', start: 0 }],
    tables: [],
    figureCount: 0,
    facts: { mediaType: 'document', pageCount: null, wordCount: 22 },
    truncated: false,
    warnings: ['A picture could not be read.'],
  },
  ...changes,
})

test('an analysis has every part, each of what is known', async () => {
  const analysis = await model.analyze(file())
  expect(analysis.summary).toBe('A bridge opened and fell.')
  expect(analysis.keyElements).toEqual(['The bridge', 'Leon Moisseiff', 'girders'])
  expect(analysis.mainResponse).toBe('“The Tacoma bridge opened in July 1940.”')
  expect(analysis.relevantDetails).not.toBe('')
  expect(analysis.insights[0]!.observation).toBe(analysis.mainResponse)
  expect(analysis.insights[0]!.analysis).toContain('“Tacoma”')
  expect(analysis.additionalConsiderations).toContain('A picture could not be read.')
  expect(analysis.additionalConsiderations).toContain(model.disclaimer)
})

test('an analysis says when the file does not answer, and what it was taken for', async () => {
  const analysis = await model.analyze(file({ query: 'What is the price of gold?', mediaType: 'image' }))
  expect(analysis.mainResponse).toBe('The material holds no answer to this question.')
  expect(analysis.insights).toEqual([])
  expect(analysis.additionalConsiderations).toContain('taken for image')
  expect(analysis.summary).not.toBe('')
})
