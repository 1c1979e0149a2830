import type { JsonObject, Uuid } from '@medialog/kernel'
import { ReplayGone } from '../core/errors.ts'
import type { Ports } from '../core/ports.ts'
import type { AdvancedAnswer, CatalogItem } from '../ports/index.ts'

/** Which ingest of an item an answer showed, and where the item was. */
export type KeptItems = { [mediaId: Uuid]: { ingest: Uuid; collection: string } }

export const keepItems = (items: Iterable<CatalogItem>): KeptItems =>
  Object.fromEntries(
    [...items].map(({ mediaId, ingestId, collection }) => [mediaId, { ingest: ingestId, collection }]),
  )

/** The items as the answer showed them. @throws ReplayGone where one of them was deleted or replaced since */
export async function keptItems(
  { catalog }: Pick<Ports, 'catalog'>,
  accountId: Uuid,
  kept: KeptItems,
): Promise<Map<Uuid, CatalogItem>> {
  const ids = Object.keys(kept)
  const items = (await catalog.items(accountId, ids)).filter(
    ({ mediaId, ingestId }) => kept[mediaId]!.ingest === ingestId,
  )
  if (items.length < ids.length) throw new ReplayGone()
  return new Map(items.map((item) => [item.mediaId, { ...item, collection: kept[item.mediaId]!.collection }]))
}

type KeptConnection = { source: Uuid; target: Uuid; relation: string; strength: number; shared: number[] }

/** An advanced answer without any word of the query or of an item. */
export type KeptAdvanced = {
  total: number
  distribution: { [collection: string]: number }
  depthReached: number
  hits: {
    mediaId: Uuid
    score: number
    lexical: number
    semantic: number
    /** Where each matched word starts in the query, and its length. */
    matched: [number, number][]
    chunk: number
    depth: number
    path: KeptConnection[]
    crossModal: KeptConnection[]
  }[]
}

export function keepAdvanced({ hits, ...answer }: AdvancedAnswer, query: string): KeptAdvanced & JsonObject {
  const text = query.normalize('NFKC')
  return {
    ...answer,
    hits: hits.map(({ passage, matchedTerms, path, crossModal, ...hit }) => ({
      ...hit,
      matched: matchedTerms.map((term): [number, number] => [text.indexOf(term), term.length]),
      chunk: passage.chunk,
      path: path.map((connection) => ({ ...connection })),
      crossModal: crossModal.map((connection) => ({ ...connection })),
    })),
  }
}

/** The answer once more. @throws ReplayGone */
export async function restoreAdvanced(
  { catalog }: Pick<Ports, 'catalog'>,
  accountId: Uuid,
  { hits, ...answer }: KeptAdvanced,
  query: string,
): Promise<AdvancedAnswer> {
  const text = query.normalize('NFKC')
  const restored = hits.map(async ({ matched, chunk, ...hit }) => {
    const passage = (await catalog.content(accountId, hit.mediaId))?.chunks[chunk]
    if (!passage) throw new ReplayGone()
    return {
      ...hit,
      matchedTerms: matched.map(([start, length]) => text.slice(start, start + length)),
      passage: { text: passage.text, chunk },
    }
  })
  return { ...answer, hits: await Promise.all(restored) } as AdvancedAnswer
}
