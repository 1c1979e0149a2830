import { hasThumbnails, readThumbnails } from '../artifacts/encoding.ts'
import type { ListMedia, MediaView } from '../application.ts'
import type { RequestContext } from '../core/context.ts'
import type { Dependencies } from '../dependencies.ts'
import type { IngestRef } from '../ports/index.ts'
import { unlessAway } from '../core/unless-away.ts'
import { findItem } from './find-item.ts'

type Reading = Pick<Dependencies, 'catalog' | 'artifacts' | 'streams'>

/** One page of the account's items, newest first, and whether others follow. */
export async function listMedia(
  { catalog }: Pick<Reading, 'catalog'>,
  { principal: { accountId } }: RequestContext,
  { mediaType, collection, page, pageSize, after, vectors }: ListMedia,
): Promise<{ items: MediaView[]; total: number; hasNext: boolean }> {
  const window = { offset: (page - 1) * pageSize, limit: pageSize + 1, ...(after && { after }) }
  const { items: found, total } = await catalog.list(accountId, { mediaType, collection }, window)
  const items = found.slice(0, pageSize)
  const ids = items.map((item) => item.mediaId)
  const vectorsOf = vectors ? await catalog.vectors(accountId, ids, 'combined') : null
  return {
    items: items.map((item) => ({ item, content: null, vectors: vectorsOf?.get(item.mediaId) ?? null })),
    total,
    hasNext: found.length > pageSize,
  }
}

/** One item with what was asked for besides. @throws MediaItemNotFound */
export async function readMedia(
  dependencies: Reading,
  { principal: { accountId } }: RequestContext,
  query: { id: string; vectors: boolean; content: boolean },
): Promise<MediaView> {
  const { catalog } = dependencies
  const item = await findItem(catalog, accountId, query.id)
  if (!query.content && !query.vectors) return { item, content: null, vectors: null }
  const [content, vectors, thumbnails] = await Promise.all([
    query.content ? catalog.content(accountId, item.mediaId) : null,
    query.vectors ? catalog.vectors(accountId, [item.mediaId], 'all') : null,
    query.content && hasThumbnails(item.extraction.facts) ? thumbnailsOf(dependencies, item) : null,
  ])
  return {
    item,
    content: content && { ...content, ...(thumbnails && { thumbnails }) },
    vectors: vectors?.get(item.mediaId) ?? null,
  }
}

/** Which artifacts an item rests on the log says; where that is away the item is read without its pictures. */
async function thumbnailsOf(
  { streams, artifacts }: Reading,
  ingest: IngestRef,
): Promise<Uint8Array[] | null> {
  const recorded = streams.load('media', ingest.mediaId, ({ item }) =>
    item?.ingestId === ingest.ingestId ? Object.keys(item.artifacts) : [],
  )
  return readThumbnails(artifacts, ingest, (await unlessAway(recorded))?.selected ?? [])
}
