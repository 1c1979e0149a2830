import type { JsonObject, MediaType, Money, Uuid } from '@medialog/kernel'
import { paid, type ChargingPorts, type PaidResult, type Payment } from '../billing/charging.ts'
import type { RequestContext } from '../core/context.ts'
import type { Ports } from '../core/ports.ts'
import { saidAt } from '../library/said-at.ts'
import type { CatalogItem, TimeSpan } from '../ports/index.ts'
import {
  type GroundPorts,
  ground,
  groundAgain,
  groundingReference,
  type GroundingReference,
  type AskQuestion,
} from './ground.ts'
import { keepAnswer, keptAnswer } from './keep.ts'
import { makeAnswer, type MadeAnswer, type AnswerListener } from './made-answer.ts'
import type { StoredPassage } from './passages.ts'
import { queryPrice } from './query-price.ts'
import type { SealMaterial } from './seal.ts'

export type AskPorts = GroundPorts & ChargingPorts & Pick<Ports, 'keptAnswers'>

export interface AnswerSource {
  mediaId: Uuid
  mediaType: MediaType
  filename: string
  collection: string
  /** As the file states it. */
  title: string | null
  chunk: number
  text: string
  /** When it is said, of a recording or film where that is known. */
  time?: TimeSpan
  /** Of the item's stream. */
  revision: number
}

export interface Answered extends Payment {
  text: string
  /** False: the material holds no answer. */
  answered: boolean
  /** In the order in which the text names them: `[1]` is the first. */
  sources: AnswerSource[]
  /** The item that the query named. */
  item: CatalogItem | null
  price: { base: Money; tokens: Money; tier: 'minimum' | 'standard' }
  usage: { inputTokens: number; outputTokens: number; milliseconds: number }
  model: string
  disclaimer: string
}

/** What the log keeps for a repeat: where the passages stand, what was counted, when the answer was kept. */
type Kept = GroundingReference & {
  [key: string]: JsonObject[string]
  inputTokens: number
  outputTokens: number
  milliseconds: number
  at: number
}

/** What was said, kept under a seal. */
type Said = Omit<MadeAnswer, 'outputTokens' | 'milliseconds'>

interface Made extends Omit<Said, 'cited'> {
  item: CatalogItem | null
  sources: AnswerSource[]
  kept: Kept
}

/**
 * Answers a query from one item or from the account's library. The most it can cost is charged first. A listener hears
 * the answer while it is made; when it disconnects before anything was delivered, all is refunded, later the answer ends
 * there and is charged as far as it got, or, with an Idempotency-Key, is finished for the repeat.
 * @throws InvalidInput INPUT_TOO_LARGE, MediaItemNotFound, CollectionNotFound, and as `paid`
 */
export async function ask(
  ports: AskPorts,
  context: RequestContext,
  command: AskQuestion,
  listener?: AnswerListener,
): Promise<Answered> {
  const { languageModel, settings, clock } = ports
  const { idempotencyKey, ...fields } = command
  const priceOf = (input: number, output: number) =>
    queryPrice(settings.prices, command.mediaId !== null, { input, output })
  const material = (passages: readonly Pick<StoredPassage, 'text'>[]): SealMaterial => [
    JSON.stringify(fields),
    ...passages.map(({ text }) => text),
  ]
  const { value, ...outcome } = await paid<Made, Kept>(ports, context, {
    operation: 'ask',
    idempotencyKey,
    fields,
    async prepare() {
      const grounding = await ground(ports, context, command, listener?.signal)
      const { inputTokens, item, passages } = grounding
      const work = async (): Promise<PaidResult<Made, Kept>> => {
        const { outputTokens, milliseconds, ...said } = await makeAnswer(
          languageModel,
          context.principal.accountId,
          command,
          grounding,
          listener,
        )
        const counted = { inputTokens, outputTokens, milliseconds, at: clock.now() }
        const kept = { ...groundingReference(grounding), ...counted }
        if (idempotencyKey !== undefined) {
          const ref = { requestId: context.requestId, at: kept.at }
          await keepAnswer(ports, ref, said, material(passages))
        }
        const value = { ...shown(said, passages), item, kept }
        return { value, cost: priceOf(inputTokens, outputTokens).lines, kept }
      }
      const most = priceOf(inputTokens, command.maxTokens).lines
      return { most, work, ...(item && { mediaId: item.mediaId }) }
    },
    async replay(kept, requestId) {
      const { item, passages } = await groundAgain(ports, context, kept)
      const said = await keptAnswer<Said>(ports, { requestId, at: kept.at }, material(passages))
      await listener?.delta(said.text, { replayed: true })
      return { ...shown(said, passages), item, kept }
    },
  })
  const { kept, ...made } = value
  const { inputTokens, outputTokens, milliseconds } = kept
  const { tokens, tier } = priceOf(inputTokens, outputTokens)
  return {
    ...made,
    ...outcome,
    // The fee is a setting and may have changed since the first answer; prices of tokens never change.
    price: { base: outcome.cost - tokens, tokens, tier },
    usage: { inputTokens, outputTokens, milliseconds },
  }
}

const shown = (
  { cited, ...said }: Said,
  passages: readonly Omit<StoredPassage, 'relevance'>[],
): Omit<Made, 'item' | 'kept'> => ({ ...said, sources: cited.map((place) => sourceOf(passages[place]!)) })

function sourceOf({ item, chunk, text }: Omit<StoredPassage, 'relevance'>): AnswerSource {
  const time = saidAt(item.extraction.facts, chunk)
  return {
    mediaId: item.mediaId,
    mediaType: item.mediaType,
    filename: item.filename,
    collection: item.collection,
    title: item.extraction.title,
    chunk,
    text,
    ...(time && { time }),
    revision: item.revision,
  }
}
