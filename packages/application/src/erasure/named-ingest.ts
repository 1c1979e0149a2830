import type { ErasedIngest } from '@medialog/domain'
import type { Uuid } from '@medialog/kernel'
import type { Streams } from '../event-sourcing/streams.ts'

/**
 * What a receipt will say of an ingest, or of the one that the item shows by now; null where it shows another one or none.
 * To be asked before it is deleted.
 */
export async function namedIngest(
  streams: Pick<Streams, 'load'>,
  mediaId: Uuid,
  ingestId?: Uuid,
): Promise<ErasedIngest | null> {
  const { selected } = await streams.load('media', mediaId, ({ item }) => item && { ...item })
  if (selected === null || (ingestId !== undefined && selected.ingestId !== ingestId)) return null
  const { mediaType, sha256 } = selected
  const artifacts = Object.fromEntries(
    Object.entries(selected.artifacts).map(([name, artifact]) => [name, artifact.sha256]),
  )
  return { mediaId, ingestId: selected.ingestId, mediaType, sha256, artifacts }
}
