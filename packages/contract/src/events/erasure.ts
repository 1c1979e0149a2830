import { MEDIA_TYPES } from '@medialog/kernel'
import { z } from 'zod'
import { count, instant, sha256, uuid } from './common.ts'

const subject = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('items') }),
  z.object({ kind: z.literal('collection'), collection: z.string(), generation: count }),
  z.object({ kind: z.literal('account') }),
])

const ingests = z.array(
  z.object({
    mediaId: uuid,
    ingestId: uuid,
    mediaType: z.enum(MEDIA_TYPES),
    sha256,
    artifacts: z.record(z.string(), sha256),
  }),
)

const stores = z.array(
  z.object({
    store: z.enum(['log', 'artifacts', 'read models', 'kept answers', 'published events']),
    how: z.string(),
  }),
)

export const erasureEvents = {
  ErasureRequested: z.object({ accountId: uuid, subject, ingests, at: instant }),
  ErasureExtended: z.object({ accountId: uuid, ingests, at: instant }),
  ErasureCompleted: z.object({ accountId: uuid, ingests: count, digest: sha256, stores, at: instant }),
}
