import type { IngestRecord } from '@medialog/domain'
import type { Uuid } from '@medialog/kernel'

/** SHA-256 of the file that `recordOf` is of. */
export const SHA256 = '0'.repeat(64)

/** What a job recorded of a text; the job has the id of its ingest. */
export const recordOf = (ingestId: Uuid): IngestRecord => ({
  ingestId,
  jobId: ingestId,
  mediaType: 'document',
  format: 'txt',
  filename: 'a.txt',
  sizeBytes: 1,
  sha256: SHA256,
  artifacts: {},
  vectorCount: { hd: 1, ld: 1 },
  embedder: 'e',
  enricher: 'n',
  durationMs: 1,
  at: 2,
})
