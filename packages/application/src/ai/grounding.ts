import type { Uuid } from '@medialog/kernel'
import type { RequestContext } from '../context.ts'
import type { Dependencies } from '../dependencies.ts'
import { ReplayGone } from '../errors.ts'
import {
  EngineUnavailable,
  type CatalogContent,
  type CatalogItem,
  type GroundingPassage,
  type ItemVectors,
} from '../ports/index.ts'
import { findItem } from '../queries/find-item.ts'

/** Where a passage stands: what is kept of it for a repeat. */
export interface PassageReference {
  [key: string]: string | number | null
  mediaId: Uuid
  ingestId: Uuid
  chunk: number
  relevance: number | null
}

/** A passage of a stored item that an answer may rest on. */
export interface StoredPassage extends GroundingPassage {
  item: CatalogItem
  chunk: number
}

type Reading = Pick<Dependencies, 'catalog' | 'embedder' | 'search'>

/** Of all items those that match best, and of each of them its passages that do: few enough for the base fee. */
const ITEMS = 8
const PASSAGES_PER_ITEM = 3
/** Longest text that search takes, in UTF-16 code units. */
const LONGEST_SEARCH = 10_000
const LEXICAL_WEIGHT = 0.35

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
    const vector = comparable ? (await queryVector(reading, query)).vector : null
    const closeness = closenessTo(reading, vector, stored.vectors)
    const { chunks } = stored.content
    return {
      item,
      passages: chunks.map(({ text }, chunk) => ({ item, chunk, text, relevance: closeness(chunk) })),
    }
  }
  throw new EngineUnavailable('catalog', 'The item changes too often to be read; try again shortly.')
}

/** The passages of the account's library that match best, closest item first. */
export async function passagesOfLibrary(
  reading: Reading,
  { principal: { accountId } }: Pick<RequestContext, 'principal'>,
  query: string,
): Promise<StoredPassage[]> {
  const { catalog, search, embedder } = reading
  const { text, vector } = await queryVector(reading, query)
  const { hits } = await search.search({
    accountId,
    text,
    vector,
    cosineFloor: embedder.cosineFloor,
    collections: null,
    lexicalWeight: LEXICAL_WEIGHT,
    minScore: 0,
    maxResults: ITEMS,
    filters: {},
  })
  const found: StoredPassage[] = []
  for (const { mediaId, passage } of hits) {
    const item = await catalog.item(accountId, mediaId)
    const stored = item && (await readStored(reading, item))
    // An item that was deleted between two reads is simply not there any more.
    if (!stored) continue
    const closeness = closenessTo(reading, vector, stored.vectors)
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

/** The passages that references name, as long as every item still is what it was. @throws ReplayGone */
export async function passagesKept(
  reading: Reading,
  { principal: { accountId } }: Pick<RequestContext, 'principal'>,
  references: readonly PassageReference[],
): Promise<StoredPassage[]> {
  const items = new Map<Uuid, { item: CatalogItem; content: CatalogContent }>()
  for (const { mediaId, ingestId } of references) {
    if (items.has(mediaId)) continue
    const item = await reading.catalog.item(accountId, mediaId)
    if (item?.ingestId !== ingestId) throw new ReplayGone()
    const stored = await readStored(reading, item)
    if (!stored) throw new ReplayGone()
    items.set(mediaId, { item, content: stored.content })
  }
  return references.map(({ mediaId, chunk, relevance }) => {
    const { item, content } = items.get(mediaId)!
    return { item, chunk, relevance, text: content.chunks[chunk]!.text }
  })
}

export const referenceTo = ({ item, chunk, relevance }: StoredPassage): PassageReference => ({
  mediaId: item.mediaId,
  ingestId: item.ingestId,
  chunk,
  relevance,
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

/** As much of the query as search takes, and its vector. */
async function queryVector(
  { embedder }: Reading,
  query: string,
): Promise<{ text: string; vector: Float32Array }> {
  const text = query.slice(0, LONGEST_SEARCH).toWellFormed()
  const [vector] = await embedder.embed([text], { priority: 'query' })
  return { text, vector: vector! }
}

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
