import { MEDIA_TYPES } from '@medialog/kernel'
import { z } from 'zod'
import { count, instant, sha256, uuid } from './common.ts'

export const place = z.object({ collection: z.string(), generation: count })

const ingest = {
  accountId: uuid,
  ingestId: uuid,
  jobId: uuid,
  mediaType: z.enum(MEDIA_TYPES),
  format: z.string(),
  filename: z.string(),
  sizeBytes: count,
  sha256,
  artifacts: z.record(z.string(), z.object({ sha256, size: count })),
  vectorCount: z.object({ hd: count, ld: count }),
  embedder: z.string(),
  enricher: z.string(),
  durationMs: z.number().nonnegative(),
  at: instant,
}

const life = z.object({
  createdAt: instant.nullable(),
  until: instant,
  stays: z.array(z.object({ from: instant, mediaType: z.enum(MEDIA_TYPES), placeId: uuid.nullable() })),
})

export const mediaEvents = {
  IngestClaimed: z.object({
    accountId: uuid,
    ingestId: uuid,
    jobId: uuid,
    batchId: uuid.nullable(),
    sha256,
    at: instant,
  }),
  IngestReleased: z.object({ accountId: uuid, ingestId: uuid, jobId: uuid, reason: z.string(), at: instant }),
  MediaIngested: z.object({ ...ingest, place }),
  MediaOverwritten: z.object({ ...ingest, place: place.nullable(), previousIngestId: uuid }),
  MediaReembedded: z.object({
    accountId: uuid,
    ingestId: uuid,
    embedder: ingest.embedder,
    artifacts: ingest.artifacts,
    at: instant,
  }),
  MediaDeleted: z.object({
    accountId: uuid,
    ingestId: uuid,
    cause: z.enum(['requested', 'collection-deleted']),
    reason: z.string().nullable(),
    lives: z.array(life),
    at: instant,
  }),
}
