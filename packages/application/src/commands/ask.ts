import { setImmediate as pause } from 'node:timers/promises'
import type { Uuid } from '@medialog/kernel'
import {
  passagesKept,
  passagesOfItem,
  passagesOfLibrary,
  referenceTo,
  type PassageReference,
  type StoredPassage,
} from '../ai/grounding.ts'
import { MOST_INPUT_TOKENS, queryPrice } from '../ai/query-price.ts'
import type { AnswerListener, Answered, AnswerSource, AskQuestion } from '../application.ts'
import { paid, type PaidResult } from '../charging.ts'
import type { RequestContext } from '../context.ts'
import type { Dependencies } from '../dependencies.ts'
import { InvalidInput, MediaItemNotFound, ReplayGone } from '../errors.ts'
import { pointedTo, type CatalogItem, type LanguageModel } from '../ports/index.ts'

/** More than tokens of any language take up: one word without an end is a single token, however long. */
const MOST_INPUT_CHARACTERS = 8 * MOST_INPUT_TOKENS

/** What a repeat is made from: where the passages stand and what was counted. */
interface KeptAnswer {
  [key: string]: string | number | null | { [key: string]: string } | PassageReference[]
  /** The item that the query named: all of its passages count. */
  item: { mediaId: Uuid; ingestId: Uuid } | null
  passages: PassageReference[]
  inputTokens: number
  outputTokens: number
  milliseconds: number
}

/** What the model is given, counted. */
interface Grounding {
  item: CatalogItem | null
  passages: StoredPassage[]
  inputTokens: number
}

interface Made {
  item: CatalogItem | null
  text: string
  answered: boolean
  sources: AnswerSource[]
  kept: KeptAnswer
}

/**
 * Answers a query from one item or from the account's library. The most it can cost is charged first. A listener hears
 * the answer while it is made; when it goes away before anything was delivered, all is refunded, later the answer ends
 * there and is charged as far as it got.
 * @throws InvalidInput INPUT_TOO_LARGE, MediaItemNotFound, and as `paid`
 */
export async function ask(
  dependencies: Dependencies,
  context: RequestContext,
  command: AskQuestion,
  listener?: AnswerListener,
): Promise<Answered> {
  const { languageModel, settings } = dependencies
  const { idempotencyKey, ...fields } = command
  const grounded = command.mediaId !== null
  const { value, ...outcome } = await paid<Made, KeptAnswer>(dependencies, context, {
    operation: 'ask',
    idempotencyKey,
    fields: { ...fields },
    async prepare() {
      const grounding = await ground(dependencies, context, command)
      const { inputTokens: input, item } = grounding
      const most = queryPrice(settings.prices, grounded, { input, output: command.maxTokens }).lines
      const work = async (): Promise<PaidResult<Made, KeptAnswer>> => {
        const made = await answer(languageModel, command, grounding, false, listener)
        const { kept } = made
        const cost = queryPrice(settings.prices, grounded, { input, output: kept.outputTokens }).lines
        return { value: made, cost, kept }
      }
      return { most, work, ...(item && { mediaId: item.mediaId }) }
    },
    async replay(kept) {
      const grounding = await groundAgain(dependencies, context, command, kept)
      return { ...(await answer(languageModel, command, grounding, true, listener)), kept }
    },
  })
  const { kept, ...made } = value
  const { inputTokens, outputTokens, milliseconds } = kept
  const { base, tokens, tier } = queryPrice(settings.prices, grounded, {
    input: inputTokens,
    output: outputTokens,
  })
  return {
    ...made,
    ...outcome,
    price: { base, tokens, tier },
    usage: { inputTokens, outputTokens, milliseconds },
    model: languageModel.model,
    disclaimer: languageModel.disclaimer,
  }
}

async function ground(
  dependencies: Dependencies,
  context: RequestContext,
  command: AskQuestion,
): Promise<Grounding> {
  const { languageModel } = dependencies
  const { query, mediaId } = command
  let inputTokens = 0
  const given = [query, command.context, command.systemPrompt]
  if (given.reduce((length, text) => length + (text?.length ?? 0), 0) > MOST_INPUT_CHARACTERS)
    throw tooLarge()
  for (const text of given)
    if (text !== null) inputTokens += languageModel.countTokens(text, MOST_INPUT_TOKENS)
  if (inputTokens > MOST_INPUT_TOKENS) throw tooLarge()
  const { item, passages } =
    mediaId === null
      ? { item: null, passages: await passagesOfLibrary(dependencies, context, retrievalText(command)) }
      : await passagesOfItem(dependencies, context, mediaId, query)
  const read: StoredPassage[] = []
  for (const passage of passages) {
    const tokens = languageModel.countTokens(passage.text)
    if (inputTokens + tokens > MOST_INPUT_TOKENS) {
      if (item) throw tooLarge()
      // Nobody asked for these: as many as there is room for.
      break
    }
    inputTokens += tokens
    read.push(passage)
    // A long item has hundreds: other requests have their turn in between.
    if (read.length % 32 === 0) await pause()
  }
  return { item, passages: read, inputTokens }
}

/** What is searched for: a question that points back means what was said before. */
const retrievalText = ({ query, context }: AskQuestion): string =>
  [query, pointedTo(query, context)].filter(Boolean).join(' ')

const tooLarge = (): InvalidInput =>
  new InvalidInput(
    'INPUT_TOO_LARGE',
    `Query, context, system prompt and media have more than ${MOST_INPUT_TOKENS} tokens together.`,
    { limit_tokens: MOST_INPUT_TOKENS },
  )

/** The same passages as the first time. @throws ReplayGone */
async function groundAgain(
  dependencies: Dependencies,
  context: RequestContext,
  { mediaId, query }: AskQuestion,
  { item: known, passages, inputTokens }: KeptAnswer,
): Promise<Grounding> {
  if (!known)
    return { item: null, passages: await passagesKept(dependencies, context, passages), inputTokens }
  try {
    const found = await passagesOfItem(dependencies, context, mediaId!, query)
    if (found.item.ingestId === known.ingestId) return { ...found, inputTokens }
  } catch (error) {
    if (!(error instanceof MediaItemNotFound)) throw error
  }
  throw new ReplayGone()
}

async function answer(
  model: LanguageModel,
  { query, context, systemPrompt, temperature, maxTokens }: AskQuestion,
  { item, passages, inputTokens }: Grounding,
  replayed: boolean,
  listener?: AnswerListener,
): Promise<Made> {
  const started = performance.now()
  const question = { query, context, instructions: systemPrompt, passages, temperature, maxTokens }
  let text = ''
  let end = { cited: [] as number[], answered: false, outputTokens: 0 }
  try {
    for await (const part of model.answer(question, listener && { signal: listener.signal })) {
      if (part.type === 'end') end = part
      else {
        await listener?.delta(part.text, { replayed })
        text += part.text
      }
    }
  } catch (error) {
    // Who went away in the middle has been served so far.
    if (!listener?.signal.aborted || text === '') throw error
    end = { ...end, outputTokens: model.countTokens(text) }
  }
  const { cited, answered } = end
  const outputTokens = Math.min(end.outputTokens, maxTokens)
  return {
    item,
    text,
    answered,
    // A model may name a passage that it was not given.
    sources: cited.flatMap((place) => (passages[place] ? sourceOf(passages[place]) : [])),
    kept: {
      item: item && { mediaId: item.mediaId, ingestId: item.ingestId },
      passages: item ? [] : passages.map(referenceTo),
      inputTokens,
      outputTokens,
      milliseconds: Math.round(performance.now() - started),
    },
  }
}

const sourceOf = ({ item, chunk, text }: StoredPassage): AnswerSource => ({
  mediaId: item.mediaId,
  mediaType: item.mediaType,
  chunk,
  text,
  revision: item.revision,
})
