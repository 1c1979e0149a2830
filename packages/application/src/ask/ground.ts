import type { Uuid } from '@medialog/kernel'
import { refusePenniless } from '../billing/paying.ts'
import type { RequestContext } from '../core/context.ts'
import { InvalidInput } from '../core/errors.ts'
import type { Ports } from '../core/ports.ts'
import { findItem } from '../library/find-item.ts'
import { collectionsThere, pointedTo, type CatalogItem, type WorkOptions } from '../ports/index.ts'
import { requireCollections } from '../search/search.ts'
import {
  passagesKept,
  passagesOfItem,
  passagesOfLibrary,
  referenceTo,
  textsOfItem,
  type PassageReference,
  type StoredPassage,
} from './passages.ts'
import { MOST_INPUT_TOKENS, queryPrice } from './query-price.ts'

export type GroundPorts = Pick<
  Ports,
  'streams' | 'settings' | 'catalog' | 'search' | 'embedder' | 'formerEmbedders' | 'languageModel'
>

/** Null is "not given". */
export interface AskQuestion {
  query: string
  /** In the form `vec-<uuid>`. */
  mediaId: string | null
  /** Where an answer may be from; absent for the whole library. */
  collections?: string[]
  systemPrompt: string | null
  context: string | null
  temperature: number
  maxTokens: number
  idempotencyKey?: string
}

/** More than tokens of any language take up: one word without an end is a single token, however long. */
const MOST_INPUT_CHARACTERS = 8 * MOST_INPUT_TOKENS

/** What the model is given, counted. */
export interface Grounding {
  item: CatalogItem | null
  passages: StoredPassage[]
  inputTokens: number
}

/** Where the passages stand, for a repeat. */
export interface GroundingReference {
  /** The item that the query named: all of its passages count. */
  item: { mediaId: Uuid; ingestId: Uuid } | null
  passages: PassageReference[]
}

/**
 * What a question is answered from. Refuses before it works: what is too long, then an item or a collection that is not there, then who
 * has not even the least that it costs; only then is there any searching and embedding.
 * @throws InvalidInput INPUT_TOO_LARGE, MediaItemNotFound, CollectionNotFound, AccountSuspended, InsufficientFunds, EngineUnavailable
 */
export async function ground(
  ports: GroundPorts,
  context: RequestContext,
  command: AskQuestion,
  signal: AbortSignal | undefined,
): Promise<Grounding> {
  const { languageModel, catalog, settings } = ports
  const { mediaId, collections } = command
  const { accountId } = context.principal
  const work = { accountId, signal }
  const given = await tokensGiven(ports, command, work)
  if (mediaId !== null) await findItem(catalog, accountId, mediaId)
  if (collections) requireCollections(collections, await collectionsThere(catalog, accountId, collections))
  const { base, tokens } = queryPrice(settings.prices, mediaId !== null, { input: given, output: 0 })
  await refusePenniless(ports, context, base + tokens)
  const { item, passages } =
    mediaId === null
      ? {
          item: null,
          passages: await passagesOfLibrary(ports, context, retrievalText(command), collections),
        }
      : await passagesOfItem(ports, context, mediaId, command.query)
  const room = MOST_INPUT_TOKENS - given
  const counts = await languageModel.countTokens(
    passages.map(({ text }) => text),
    { most: room, ...work },
  )
  if (total(counts) > room) {
    if (item) throw tooLarge()
    // The client did not name these: as many as fit are used.
    counts.pop()
  }
  return { item, passages: passages.slice(0, counts.length), inputTokens: given + total(counts) }
}

/** Tokens of what the caller sent. @throws InvalidInput INPUT_TOO_LARGE */
async function tokensGiven(
  { languageModel }: Pick<Ports, 'languageModel'>,
  { query, context, systemPrompt }: AskQuestion,
  work: WorkOptions,
): Promise<number> {
  const texts = [query, context, systemPrompt].filter((text) => text !== null)
  if (total(texts.map(({ length }) => length)) > MOST_INPUT_CHARACTERS) throw tooLarge()
  const counts = await languageModel.countTokens(texts, {
    most: MOST_INPUT_TOKENS,
    ...work,
  })
  if (total(counts) > MOST_INPUT_TOKENS) throw tooLarge()
  return total(counts)
}

const total = (counts: readonly number[]): number => counts.reduce((sum, count) => sum + count, 0)

/** What is searched for: a question that points back means what was said before. */
const retrievalText = ({ query, context }: AskQuestion): string =>
  [query, pointedTo(query, context)].filter(Boolean).join(' ')

const tooLarge = (): InvalidInput =>
  new InvalidInput(
    'INPUT_TOO_LARGE',
    `Query, context, system prompt and media have more than ${MOST_INPUT_TOKENS} tokens together.`,
    { limit_tokens: MOST_INPUT_TOKENS },
  )

export const groundingReference = ({ item, passages }: Grounding): GroundingReference => ({
  item: item && { mediaId: item.mediaId, ingestId: item.ingestId },
  passages: item ? [] : passages.map(referenceTo),
})

/** The same passages as the first time. @throws ReplayGone */
export async function groundAgain(
  { catalog }: Pick<Ports, 'catalog'>,
  context: RequestContext,
  reference: GroundingReference,
): Promise<{ item: CatalogItem | null; passages: Omit<StoredPassage, 'relevance'>[] }> {
  if (!reference.item)
    return { item: null, passages: await passagesKept({ catalog }, context, reference.passages) }
  const { item, texts } = await textsOfItem({ catalog }, context, reference.item)
  return { item, passages: texts.map((text, chunk) => ({ item, chunk, text })) }
}
