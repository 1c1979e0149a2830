import type { CatalogChange, CatalogContent, CatalogItem, ItemVectors } from '@medialog/application/ports'
import { decodedFrom, type DecodedEvent } from '@medialog/contract'
import type { MediaEvent } from '@medialog/domain'
import type { Uuid } from '@medialog/kernel'
import { loadUnderstood, loadVectors } from './understood.ts'
import { isOf, type Projection, type ProjectionContext } from './projection.ts'

/** Items with text, metadata and vectors; collections and what ended. */
export const catalogProjection: Projection<CatalogChange> = {
  name: 'catalog',
  // Each may hold a megabyte of text and vectors.
  batchSize: 32,
  loads: (recorded) => isOf('media', recorded) && IN_CATALOG.has(recorded.type),
  project(recorded, context) {
    // Claims are most of what is in a media stream: no need to look into them.
    if (isOf('media', recorded) && !IN_CATALOG.has(recorded.type)) return []
    const decoded = decodedFrom(CATEGORIES, recorded)
    if (!decoded) return []
    return decoded.category === 'library' ? [ofLibrary(decoded)] : ofMedia(decoded, context)
  },
}

const CATEGORIES = new Set(['media', 'library'] as const)

const IN_CATALOG = new Set<string>([
  'MediaIngested',
  'MediaOverwritten',
  'MediaReembedded',
  'MediaDeleted',
] satisfies MediaEvent['type'][])

function ofLibrary({ event }: DecodedEvent<'library'>): CatalogChange {
  const { accountId, at } = event
  switch (event.type) {
    case 'ItemsMoved':
      return { type: 'MoveItems', accountId, mediaIds: event.mediaIds, ...event.place }
    case 'CollectionDeleted':
      return { type: 'EndCollection', accountId, ...event.place, at }
    case 'LibraryErased':
      return { type: 'EraseNames', accountId }
  }
}

async function ofMedia(decoded: DecodedEvent<'media'>, context: ProjectionContext): Promise<CatalogChange[]> {
  const { event, id: mediaId, recorded } = decoded
  switch (event.type) {
    case 'MediaIngested': {
      const made = await itemOf(decoded, event, mediaId, event.place.collection, context)
      return [{ type: 'PutItem', generation: event.place.generation, ...made }]
    }
    case 'MediaOverwritten': {
      const { place, previousIngestId } = event
      const made = await itemOf(decoded, event, mediaId, place?.collection ?? 'default', context)
      const collection = place && { id: place.collection, generation: place.generation }
      return [{ type: 'ReplaceItem', collection, previousIngestId, ...made }]
    }
    case 'MediaReembedded': {
      const { accountId, ingestId } = event
      const vectors = await loadVectors(recorded, event, mediaId, context)
      if (vectors === null) return []
      return [{ type: 'ReplaceVectors', accountId, mediaId, ingestId, revision: recorded.revision, vectors }]
    }
    case 'MediaDeleted': {
      const { accountId, ingestId, at } = event
      return [{ type: 'RemoveItem', accountId, mediaId, ingestId, revision: recorded.revision, at }]
    }
    case 'IngestClaimed':
    case 'IngestReleased':
      return []
  }
}

async function itemOf(
  { recorded }: DecodedEvent<'media'>,
  event: Extract<MediaEvent, { type: 'MediaIngested' | 'MediaOverwritten' }>,
  mediaId: Uuid,
  collection: string,
  context: ProjectionContext,
): Promise<{ item: CatalogItem; content: CatalogContent; vectors: ItemVectors }> {
  const { extraction, enrichment, chunks, vectors } = await loadUnderstood(recorded, event, mediaId, context)
  const { text, ...described } = extraction
  const { accountId, ingestId, mediaType, format, filename, sizeBytes, sha256, vectorCount, durationMs, at } =
    event
  const item: CatalogItem = {
    accountId,
    mediaId,
    ingestId,
    mediaType,
    format,
    filename,
    sizeBytes,
    sha256,
    collection,
    createdAt: at,
    processedAt: at,
    durationMs,
    vectorCount,
    revision: recorded.revision,
    extraction: described,
    enrichment,
  }
  return { item, content: { text, chunks }, vectors }
}
