import { DEFAULT_LEXICAL_WEIGHT, LONGEST_QUERY } from '@medialog/contract/search-limits'
import type { Uuid } from '@medialog/kernel'
import type { RequestContext } from '../core/context.ts'
import { ReplayGone } from '../core/errors.ts'
import type { Ports } from '../core/ports.ts'
import { findItem } from '../library/find-item.ts'
import {
  EngineUnavailable,
  type CatalogContent,
  type CatalogItem,
  type GroundingPassage,
  type ItemVectors,
} from '../ports/index.ts'
import { lexicalWeightFor } from '../search/lexical-weight.ts'
import { prepareQuery } from '../search/search.ts'

/** Where a passage stands: what is kept of it for a repeat. */
export interface PassageReference {
  [key: string]: string | number
  mediaId: Uuid
  ingestId: Uuid
  chunk: number
}

/** A passage of a stored item that an answer may rest on. */
export interface StoredPassage extends GroundingPassage {
  item: CatalogItem
  chunk: number
}

type Reading = Pick<Ports, 'catalog' | 'embedder' | 'formerEmbedders' | 'search'>

/** Of all items those that match best, and of each of them its passages that do: few enough for the base fee. */
const ITEMS = 8
const PASSAGES_PER_ITEM = 3

/** All passages of one item, its head first, then its text in reading order. @throws MediaItemNotFound */
export async function passagesOfItem(
  reading: Reading,
  { principal: { accountId } }: Pick<RequestContext, 'principal'>,
  id: string,
  query: string,
): Promise<{ item: CatalogItem; passages: StoredPassage[] }> {
  for (let tries = 0; tries < 3; tries++) {
    const item = await findItem(reading.catalog, accountId, id)
    const stored = await readStored(reading, item)
    if (!stored) continue
    // Not asked for where it could not be compared with anything.
    const comparable = stored.vectors?.model === reading.embedder.model
    const [vector] = comparable
      ? await reading.embedder.embed([searchedText(query)], { priority: 'query', accountId })
      : [null]
    const closeness = closenessTo(reading, vector ?? null, stored.vectors)
    const { chunks } = stored.content
    return {
      item,
      passages: chunks.map(({ text }, chunk) => ({ item, chunk, text, relevance: closeness(chunk) })),
    }
  }
  throw new EngineUnavailable('catalog', 'The item changes too often to be read; try again shortly.')
}

/** The passages of the account's library, or of some collections, that match best, closest item first. */
export async function passagesOfLibrary(
  reading: Reading,
  { principal: { accountId } }: Pick<RequestContext, 'principal'>,
  query: string,
  collections: readonly string[] | null = null,
): Promise<StoredPassage[]> {
  const { embedder } = reading
  const text = searchedText(query)
  const [prepared, vectors] = await prepareQuery(reading, {
    accountId,
    text,
    collections,
    lexicalWeight: lexicalWeightFor(embedder, text, DEFAULT_LEXICAL_WEIGHT),
    minScore: 0,
    maxResults: ITEMS,
    filters: {},
  })
  const own = vectors.find(({ model }) => model === embedder.model)!.vector
  const { hits } = await prepared.search(vectors)
  const found: StoredPassage[] = []
  for (const { item, passage } of hits) {
    const stored = await readStored(reading, item)
    // An item that was deleted between two reads is simply not there any more.
    if (!stored) continue
    const closeness = closenessTo(reading, own, stored.vectors)
    for (const chunk of closestChunks(stored.content, passage.chunk, closeness))
      found.push({ item, chunk, text: stored.content.chunks[chunk]!.text, relevance: closeness(chunk) })
  }
  return found
}

/** In reading order: the chunk that search found and the closest others; the head only where there is no text. */
function closestChunks(
  { chunks }: CatalogContent,
  found: number,
  closeness: (chunk: number) => number | null,
): number[] {
  const first = Math.min(found, chunks.length - 1)
  const others = [...chunks.keys()]
    .filter((chunk) => chunk !== first && chunk > 0)
    .sort((a, b) => (closeness(b) ?? 0) - (closeness(a) ?? 0) || a - b)
  return [first, ...others].slice(0, PASSAGES_PER_ITEM).sort((a, b) => a - b)
}

/** An item as it was in that ingest, with all of its passages' texts. @throws ReplayGone */
export async function textsOfItem(
  { catalog }: Pick<Reading, 'catalog'>,
  { principal: { accountId } }: Pick<RequestContext, 'principal'>,
  { mediaId, ingestId }: Pick<PassageReference, 'mediaId' | 'ingestId'>,
): Promise<{ item: CatalogItem; texts: string[] }> {
  const content = await catalog.content(accountId, mediaId)
  // Read after the content, which is this ingest's if it still is.
  const item = await catalog.item(accountId, mediaId)
  if (!content || item?.ingestId !== ingestId) throw new ReplayGone()
  return { item, texts: content.chunks.map(({ text }) => text) }
}

/** The passages that references name, as long as every item still is what it was. @throws ReplayGone */
export async function passagesKept(
  reading: Pick<Reading, 'catalog'>,
  context: Pick<RequestContext, 'principal'>,
  references: readonly PassageReference[],
): Promise<Omit<StoredPassage, 'relevance'>[]> {
  const items = new Map<Uuid, Awaited<ReturnType<typeof textsOfItem>>>()
  for (const reference of references)
    if (!items.has(reference.mediaId))
      items.set(reference.mediaId, await textsOfItem(reading, context, reference))
  return references.map(({ mediaId, chunk }) => {
    const { item, texts } = items.get(mediaId)!
    return { item, chunk, text: texts[chunk]! }
  })
}

export const referenceTo = ({ item: { mediaId, ingestId }, chunk }: StoredPassage): PassageReference => ({
  mediaId,
  ingestId,
  chunk,
})

/** Text and vectors of one and the same ingest; null where the item changed while it was read. */
async function readStored(
  { catalog }: Reading,
  { accountId, mediaId, ingestId }: CatalogItem,
): Promise<{ content: CatalogContent; vectors: ItemVectors | null } | null> {
  const content = await catalog.content(accountId, mediaId)
  const vectors = (await catalog.vectors(accountId, [mediaId], 'all')).get(mediaId) ?? null
  const now = await catalog.item(accountId, mediaId)
  return content && now?.ingestId === ingestId ? { content, vectors } : null
}

/** As much of the query as search takes. */
const searchedText = (query: string): string => query.slice(0, LONGEST_QUERY).toWellFormed()

/** How close each chunk is to the query: its cosine; null where vectors of another model cannot be compared. */
function closenessTo(
  { embedder }: Reading,
  question: Float32Array | null,
  vectors: ItemVectors | null,
): (chunk: number) => number | null {
  if (question === null || vectors?.model !== embedder.model) return () => null
  return (chunk) => {
    const vector = vectors.chunks[chunk]
    return vector ? vector.reduce((sum, x, i) => sum + x * question[i]!, 0) : null
  }
}
