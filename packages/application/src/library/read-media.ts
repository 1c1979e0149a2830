import type { MediaType } from '@medialog/kernel'
import { hasThumbnails, readThumbnails } from '../artifacts/encoding.ts'
import type { RequestContext } from '../core/context.ts'
import type { Ports } from '../core/ports.ts'
import { unlessAway } from '../core/unless-away.ts'
import type { IngestRef, CatalogContent, CatalogItem, CatalogPlace, ItemVectors } from '../ports/index.ts'
import { findItem } from './find-item.ts'

export interface ListMedia {
  mediaType?: MediaType
  collection?: string
  page: number
  pageSize: number
  /** The page begins behind it. */
  after?: CatalogPlace
  vectors: boolean
}

export interface MediaContent extends CatalogContent {
  /** Of a video: a JPEG of each of its key frames, in their order. */
  thumbnails?: Uint8Array[]
}

/** An item with what was asked for besides. */
export interface MediaView {
  item: CatalogItem
  content: MediaContent | null
  vectors: ItemVectors | null
}

export type ReadingPorts = Pick<Ports, 'catalog' | 'artifacts' | 'streams'>

/** One page of the account's items, newest first, and whether others follow. */
export async function listMedia(
  { catalog }: Pick<ReadingPorts, 'catalog'>,
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
  ports: ReadingPorts,
  { principal: { accountId } }: RequestContext,
  query: { id: string; vectors: boolean; content: boolean },
): Promise<MediaView> {
  const { catalog } = ports
  const item = await findItem(catalog, accountId, query.id)
  if (!query.content && !query.vectors) return { item, content: null, vectors: null }
  const [content, vectors, thumbnails] = await Promise.all([
    query.content ? catalog.content(accountId, item.mediaId) : null,
    query.vectors ? catalog.vectors(accountId, [item.mediaId], 'all') : null,
    query.content && hasThumbnails(item.extraction.facts) ? thumbnailsOf(ports, item) : null,
  ])
  return {
    item,
    content: content && { ...content, ...(thumbnails && { thumbnails }) },
    vectors: vectors?.get(item.mediaId) ?? null,
  }
}

/** The log names the artifacts of an item; while the log is unavailable the item is read without its pictures. */
async function thumbnailsOf(
  { streams, artifacts }: ReadingPorts,
  ingest: IngestRef,
): Promise<Uint8Array[] | null> {
  const recorded = streams.load('media', ingest.mediaId, ({ item }) =>
    item?.ingestId === ingest.ingestId ? Object.keys(item.artifacts) : [],
  )
  return readThumbnails(artifacts, ingest, (await unlessAway(recorded))?.selected ?? [])
}
