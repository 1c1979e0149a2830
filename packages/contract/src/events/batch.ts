import { JOB_ERROR_CODES } from '@medialog/domain'
import { MEDIA_TYPES } from '@medialog/kernel'
import { z } from 'zod'
import { chargeLine, count, instant, sha256, uuid } from './common.ts'

const job = z.object({
  jobId: uuid,
  mediaId: uuid,
  stagedId: uuid,
  filename: z.string(),
  mediaType: z.enum(MEDIA_TYPES),
  sizeBytes: count,
  sha256,
  duplicate: z.boolean(),
})
const moment = z.object({ at: instant })

export const batchEvents = {
  BatchSubmitted: z.object({
    accountId: uuid,
    batchId: uuid,
    name: z.string().nullable(),
    collection: z.string().nullable(),
    overwrite: z.boolean(),
    price: z.array(chargeLine),
    jobs: z.array(job),
    at: instant,
  }),
  BatchCreated: moment,
  BatchRejected: moment,
  BatchStarted: moment,
  JobProgressed: z.object({ jobId: uuid, percent: z.int().min(1).max(99), at: instant }),
  JobSucceeded: z.object({
    jobId: uuid,
    mediaId: uuid,
    tookMs: count.nullable(),
    at: instant,
  }),
  JobSkipped: z.object({ jobId: uuid, mediaId: uuid, at: instant }),
  JobFailed: z.object({ jobId: uuid, code: z.enum(JOB_ERROR_CODES), message: z.string(), at: instant }),
  BatchCancelled: z.object({ from: z.enum(['created', 'running']), at: instant }),
  BatchCompleted: moment,
  BatchFailed: moment,
  BatchErased: z.object({ accountId: uuid, price: z.array(chargeLine), succeeded: count, at: instant }),
}
