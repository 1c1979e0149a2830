import { readFileSync } from 'node:fs'
import type { Embedder, GroundingPassage, LanguageModel } from '@medialog/application'
import { bodyChunks } from '@medialog/understanding/chunk'

export interface Asked {
  /** A fixture, or `cranfield/<number>`. */
  document: string
  question: string
  /** Words that a right answer quotes; null where the document does not say. */
  answer: string | null
  /** Not looked at while weights and thresholds were chosen. */
  heldOut: boolean
}

export interface Outcome extends Asked {
  text: string
  answered: boolean
  /** Whether the answer quotes the words. */
  right: boolean
}

const TEST = new URL('../../', import.meta.url)
const read = (path: string): string => readFileSync(new URL(path, TEST), 'utf8')

export const questions = (): Asked[] => JSON.parse(read('benchmarks/questions/questions.json')) as Asked[]

/** The documents by name, cut as the service cuts them. */
export function documents(asked: readonly Asked[]): Map<string, string[]> {
  const abstracts = new Map(
    [...read('benchmarks/cranfield/cran.all.1400.xml').matchAll(/<docno>(\d+)<.*?<text>(.*?)<\/text>/gs)].map(
      ([, number, text]) => [`cranfield/${number}`, text!.trim()],
    ),
  )
  const names = [...new Set(asked.map(({ document }) => document))]
  return new Map(
    names.map((name) => {
      const text = abstracts.get(name) ?? read(`fixtures/${name}`).replace(/^# /, '')
      return [name, bodyChunks({ text, sections: [] }).map((chunk) => chunk.text)]
    }),
  )
}

/** The same embedder, which embeds each text once: questions of one document share its sentences. */
export function remembering(embedder: Embedder): Embedder {
  const known = new Map<string, Float32Array>()
  return {
    model: embedder.model,
    dimensions: embedder.dimensions,
    cosineFloor: embedder.cosineFloor,
    async embed(texts) {
      const fresh = [...new Set(texts)].filter((text) => !known.has(text))
      for (const [i, vector] of (await embedder.embed(fresh)).entries()) known.set(fresh[i]!, vector)
      return texts.map((text) => known.get(text)!)
    },
    close: () => embedder.close(),
  }
}

/** Asks every question of its own document. */
export async function askEachDocument(model: LanguageModel): Promise<Outcome[]> {
  const asked = questions()
  const texts = documents(asked)
  const outcomes: Outcome[] = []
  for (const one of asked)
    outcomes.push(
      await ask(
        model,
        one,
        texts.get(one.document)!.map((text) => ({ text, relevance: null })),
      ),
    )
  return outcomes
}

/** Asks every question of all documents together: the closest 24 passages, as retrieval hands them on. */
export async function askLibrary(model: LanguageModel, embedder: Embedder): Promise<Outcome[]> {
  const asked = questions()
  const texts = [...documents(asked).values()].flat()
  const vectors = await embedder.embed(texts)
  const outcomes: Outcome[] = []
  for (const one of asked) {
    const [question] = await embedder.embed([one.question])
    const passages = texts
      .map((text, i) => ({ text, relevance: vectors[i]!.reduce((sum, x, n) => sum + x * question![n]!, 0) }))
      .sort((a, b) => b.relevance - a.relevance)
      .slice(0, 24)
    outcomes.push(await ask(model, one, passages))
  }
  return outcomes
}

async function ask(
  model: LanguageModel,
  asked: Asked,
  passages: readonly GroundingPassage[],
): Promise<Outcome> {
  const question = { query: asked.question, context: null, instructions: null, passages, temperature: 0.7 }
  let text = ''
  let answered = false
  for await (const part of model.answer({ ...question, maxTokens: 1024 }))
    if (part.type === 'text') text += part.text
    else answered = part.answered
  const right = asked.answer === null ? !answered : text.toLowerCase().includes(asked.answer.toLowerCase())
  return { ...asked, text, answered, right }
}

/** Shares of right outcomes among the questions that have an answer, and among those that have none. */
export function shares(outcomes: readonly Outcome[]): { answerable: number; unanswerable: number } {
  const share = (some: readonly Outcome[]): number => some.filter(({ right }) => right).length / some.length
  return {
    answerable: share(outcomes.filter(({ answer }) => answer !== null)),
    unanswerable: share(outcomes.filter(({ answer }) => answer === null)),
  }
}
